/** The flags of `apiserver hosts`, as rows. */
import type { Flag } from '../../../core/flags/flag.ts'
import { bool, duration, int, string } from '../../../core/flags/flag-types.ts'
import type { FlagValues } from '../start/command-flags.ts'

const mebibyte = 1024 * 1024

export const hostsFlags = {
  'bind-address': string({
    default: '127.0.0.1',
    help: 'Address to listen on. Other hosts reach the servers only at another than the default one.',
  }),
  'secure-port': int({ default: 6443, min: 0, max: 65_535, help: 'Port to listen on. 0: any free one.' }),
  'data-dir': string({
    default: '',
    path: 'directory',
    help: 'Directory in which servers survive the end of the process. Default: they are in memory only.',
  }),
  'token-file': string({
    default: '.apiserver/hosts/token',
    help: 'File with the bearer token of the interface. One that does not exist is made, with a new token and mode 0600.',
  }),
  'ca-file': string({
    default: '.apiserver/hosts/ca.crt',
    help: "File to which the authority of the serving certificate is written, for the interface's clients.",
  }),
  'max-servers': int({ default: 10_000, min: 1, help: 'Maximum number of servers.' }),
  'max-stored-bytes': int({
    default: 64 * mebibyte,
    min: mebibyte,
    help: 'Maximum bytes of stored objects of a server, each of which counts as 1 KiB besides. Less may be chosen for a server.',
  }),
  'max-requests-inflight': int({
    default: 1_000,
    min: 1,
    help: 'Maximum requests of a server at a time, watches included. Less may be chosen for a server.',
  }),
  'idle-timeout': duration({
    default: 60_000,
    min: 1,
    help: 'Time without a request after which a server leaves the memory, except for its state; the next request wakes it.',
  }),
  'allow-outgoing': bool({
    help: 'Let servers call others: webhooks by URL, aggregated APIs, node agents. Webhooks of the interface are called in any case.',
  }),
  help: bool({ help: 'Show all flags.' }),
} satisfies { readonly [name: string]: Flag }

export type HostsFlags = FlagValues<typeof hostsFlags>
