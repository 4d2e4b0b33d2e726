/** The commands of the program beside the server itself, as a table. What a command needs is loaded when it runs. */
import { FlagError } from '../../../core/flags/flag.ts'
import type { Synopsis } from '../../../core/flags/help.ts'
import { etcd } from '../etcd/command.ts'
import { type Command, printHelp, runOrExplain } from './command.ts'
import { withCommand } from './programs.ts'

const commands: { readonly [name: string]: Command } = {
  snapshot: {
    synopses: [
      [
        'snapshot save FILE [--data-dir DIR] [--format=etcd]',
        'Save the embedded store, at one revision, to a file, which etcd can restore with --format=etcd. A server may be running.',
      ],
      [
        'snapshot restore FILE [--data-dir DIR]',
        'Restore a saved file, or a snapshot of etcd, into a data directory that has no store yet.',
      ],
    ],
    async run(argv, program) {
      const { snapshot } = await import('./snapshot.ts')
      process.stdout.write(`${await snapshot(argv, program)}\n`)
      return 0
    },
  },
  top: {
    synopses: [
      [
        'top [--kubeconfig FILE] [--server URL] [--token TOKEN] [--once]',
        'Show what a running server does: requests in flight, watches, queues, caches, latencies.',
      ],
    ],
    details: `      --kubeconfig string
                Connection file of the server and the user, who needs to get the path /debug/live/stream.
                (default: $KUBECONFIG, or ~/.kube/config)
      --server string
                URL of the server, instead of that in the connection file.
      --token string
                Bearer token, instead of the credentials in the connection file.
      --certificate-authority string
                File with the authority of the server's certificate.
      --insecure-skip-tls-verify
                Do not check the server's certificate.
      --once
                Print once and exit, as when the output is not a terminal.

In a browser: kubectl proxy, and then http://127.0.0.1:8001/debug/live
`,
    async run(argv) {
      const { top } = await import('../top/index.ts')
      await top(argv, process.stdout)
      return 0
    },
  },
  assets: {
    synopses: [
      [
        'assets DIR [--release 1.34]',
        'Make the folder that KUBEBUILDER_ASSETS names: this program as kube-apiserver and etcd, and kubectl.',
      ],
    ],
    async run(argv) {
      const { assets } = await import('./assets.ts')
      process.stdout.write(`${assets(argv)}\n`)
      return 0
    },
  },
  check: {
    synopses: [
      [
        'check [flags] PATH…',
        "Check manifests (files, folders, - for standard input) without a cluster, by the server's own validation and admission.",
      ],
    ],
    details: `Objects are applied in memory, namespaces and definitions first. What is refused is printed with file, line and the server's message, and
the exit status is 1. Nothing outside is called: webhook configurations and APIServices are checked and not used.

      --release string
                Answer as that release, such as 1.34.
      --against string
                Connection file of a cluster: objects that exist there are checked as updates, and its definitions count.
      --schemas string
                File or folder of CustomResourceDefinitions that count and are not checked. May be repeated.
      --skip-unknown-kinds
                Skip objects whose definition is missing, instead of refusing them.
  -n, --namespace string
                Namespace of objects that name none. Namespaces that no manifest makes are there already. (default "default")
      --unexercised
                Also print the rules of definitions and the admission policies that no object has met.
  -o, --output string
                text, json or junit. (default "text")

Flags of the server that count: --feature-gates, --runtime-config, --enable-admission-plugins, --disable-admission-plugins,
--service-cluster-ip-range (default 10.0.0.0/16).
`,
    async run(argv, program) {
      const { check } = await import('../check/index.ts')
      return check(argv, program, (text) => void process.stdout.write(text))
    },
  },
  hosts: {
    synopses: [['hosts [flags]', 'Serve many servers on one port, each below /servers/NAME, and an interface that makes and forks them.']],
    async help() {
      const { hostsHelp } = await import('../hosts/index.ts')
      return hostsHelp()
    },
    async run(argv) {
      const { runHosts } = await import('../hosts/index.ts')
      return runHosts(argv)
    },
  },
  branch: {
    synopses: [
      [
        'branch create|list|diff|advance|delete [NAME] [flags]',
        'Try changes in a copy of a running server, which was started with --enable-branches, and see what they would change.',
      ],
    ],
    async help() {
      const { branchHelp } = await import('../branches/command.ts')
      return branchHelp()
    },
    async run(argv) {
      const { branch } = await import('../branches/command.ts')
      process.stdout.write(await branch(argv))
      return 0
    },
  },
  etcd,
  run: {
    synopses: [
      ['run [flags] -- COMMAND [ARGUMENT…]', 'Run a command beside a server in memory, with KUBECONFIG set; the server ends with it.'],
    ],
    details: `The server has an address of its own on 127.0.0.1, an empty store in memory and no log. Flags of the server change that, such as
--data-dir=DIR or --secure-port=6443. The exit status is that of the command (128 and the signal's number when a signal ended it).

      --server-log string
                File to which the server's log is appended.
      --service-env
                Set KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, too, as in a pod.
`,
    async run(argv, program) {
      const { run } = await import('./run.ts')
      return run(argv, program)
    },
  },
}

/** How the commands are called. */
export const synopses: readonly Synopsis[] = Object.values(commands).flatMap((command) => command.synopses)

const commandOf = (name: string): Command | undefined => (Object.hasOwn(commands, name) ? commands[name] : undefined)

/**
 * The exit status of a command, `COMMAND …` or `help COMMAND`; undefined: the command line names none, so it is that of a server. Rejects with a
 * one-line error.
 */
export async function runCommand(argv: readonly string[], program: string, serves: () => void): Promise<number | undefined> {
  const [name = '', ...rest] = withCommand(argv, program)
  const isHelp = name === 'help' && rest.length > 0
  const command = commandOf(isHelp ? (rest[0] ?? '') : name)
  if (isHelp && command === undefined)
    throw new FlagError(`help: there is no command ${JSON.stringify(rest[0])}; there are ${Object.keys(commands).join(', ')}`)
  if (command === undefined) return undefined
  return isHelp ? printHelp(command, program) : runOrExplain(command, rest, program, serves)
}
