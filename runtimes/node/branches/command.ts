/** `apiserver branch …`: branches of a running server. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Flag, FlagError } from '../../../core/flags/flag.ts'
import { bool, choice, duration, string } from '../../../core/flags/flag-types.ts'
import type { WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { loadConnectionFile } from '../../../core/outgoing/webhook/connection-file.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import { ask, baseOf, usualConnectionFile } from '../start/ask.ts'
import { type FlagValues, flagsHelp, readFlags } from '../start/command-flags.ts'
import { nodeClock, nodeFiles } from '../start/ports.ts'
import type { Differences } from './differences.ts'
import { kubeconfigOf } from './kubeconfig.ts'
import { branchesText, type Described, differencesText, differencesYaml } from './report.ts'

const outputs = ['text', 'json', 'yaml'] as const

export const branchFlags = {
  kubeconfig: string({
    default: '',
    path: 'file',
    help: 'Connection file of the server and the user, also that of a branch. Default: $KUBECONFIG, or ~/.kube/config.',
  }),
  ttl: duration({ default: 0, help: "create: time after which the branch is deleted. Default: the server's maximum." }),
  output: choice({ oneOf: outputs, default: 'text', help: 'diff: text, json, or yaml: the created and changed objects, to apply.' }),
  by: duration({ default: 0, help: 'advance: how far the clock of the branch is moved.' }),
  help: bool({ help: 'Show all flags.' }),
} satisfies { readonly [name: string]: Flag }

type Flags = FlagValues<typeof branchFlags>

const about = `Usage:
  apiserver branch create NAME [--ttl 30m]
      Make a branch of a running server, which was started with --enable-branches, and print its connection file (kubeconfig): a copy in memory
      for the same user. Nothing that is done in it reaches the server.
  apiserver branch diff NAME [--output text|json|yaml]
      Print what the branch has made different from the live server, and which of these objects have changed there meanwhile.
  apiserver branch advance NAME --by 24h
      Move the clock of the branch ahead, by which its controllers go.
  apiserver branch list
  apiserver branch delete NAME

`

/** The text of `apiserver branch --help`. */
export const branchHelp = (): string => about + flagsHelp(branchFlags)

interface Caller {
  /** Of the live server. */
  readonly base: string
  readonly file: string
  /** The JSON of the answer. Rejects with a one-line error. */
  send(method: string, path: string, body?: object): Promise<unknown>
}

async function callerOf(flags: Flags): Promise<Caller> {
  const file = resolve(flags.get('kubeconfig') || usualConnectionFile())
  const connection = await loadConnectionFile(file, { files: nodeFiles, clock: nodeClock })
  // A branch has no branches: its connection file stands for that of its live server.
  const live: WebhookConnection = { ...connection, url: baseOf(connection).replace(/\/branches\/[^/]+$/, '') }
  return {
    base: live.url,
    file,
    async send(method, path, body) {
      const init = { method, ...(body && { body: JSON.stringify(body) }) }
      const response = await ask(live, path, 'application/json', init).catch((error: unknown) => {
        throw new Error(`${live.url}: no answer: ${messageOf(error)}`)
      })
      const text = await response.text()
      if (response.status === 404 && !text.startsWith('{'))
        throw new Error(`${live.url} has no branches: it was started without --enable-branches`)
      const value = JSON.parse(text) as { readonly message?: string }
      if (!response.ok) throw new Error(value.message ?? `status ${response.status}`)
      return value
    },
  }
}

interface Action {
  readonly named: boolean
  /** Resolves to what is printed. */
  run(caller: Caller, name: string, flags: Flags): Promise<string>
}

const pathOf = (name: string, action = '') => `/branches/${encodeURIComponent(name)}${action}`
const seconds = (milliseconds: number) => milliseconds / 1_000

const actions: { readonly [name: string]: Action } = {
  create: {
    named: true,
    async run({ send, base, file }, name, flags) {
      const ttl = flags.get('ttl')
      await send('POST', pathOf(name), ttl > 0 ? { ttlSeconds: seconds(ttl) } : {})
      return kubeconfigOf(readFileSync(file, 'utf8'), file, `${base}/branches/${name}`, name)
    },
  },
  list: {
    named: false,
    run: async ({ send }) => branchesText(((await send('GET', '/branches')) as { branches: readonly Described[] }).branches),
  },
  diff: {
    named: true,
    async run({ send }, name, flags) {
      const found = (await send('GET', pathOf(name, ':diff'))) as Differences
      const reports = {
        text: differencesText,
        json: (value: Differences) => `${JSON.stringify(value, undefined, 2)}\n`,
        yaml: differencesYaml,
      }
      return reports[flags.get('output')](found)
    },
  },
  delete: {
    named: true,
    async run({ send }, name) {
      await send('DELETE', pathOf(name))
      return ''
    },
  },
  advance: {
    named: true,
    async run({ send }, name, flags) {
      await send('POST', pathOf(name, ':advance'), { seconds: seconds(flags.get('by')) })
      return ''
    },
  },
}

/** Runs the command with its arguments; resolves to what is printed. Rejects with a one-line error. */
export async function branch(argv: readonly string[]): Promise<string> {
  const [verb = '', ...rest] = argv
  const action = Object.hasOwn(actions, verb) ? actions[verb] : undefined
  if (action === undefined) throw new FlagError(`branch: use: branch ${Object.keys(actions).join('|')}; see branch --help`)
  const [name = '', ...options] = action.named ? rest : ['', ...rest]
  if (action.named && (name === '' || name.startsWith('-'))) throw new FlagError(`branch ${verb}: no name; use: branch ${verb} NAME`)
  const flags = readFlags(branchFlags, options)
  return action.run(await callerOf(flags), name, flags)
}
