/** kubectl binaries: on PATH, beside it (`kubectl.1.NN`), and in KUBECTL_PATHS (separated by colons). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isExecutable, programOnPath } from '../../runtimes/on-path.ts'
import { eventually, within } from './wait.ts'

export interface KubectlBinary {
  readonly path: string
  /** Such as `v1.33.1`. */
  readonly version: string
  readonly minor: number
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function inspect(path: string): KubectlBinary | undefined {
  try {
    const answer = execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const { clientVersion } = JSON.parse(answer) as { clientVersion: { gitVersion: string; minor: string } }
    return { path, version: clientVersion.gitVersion, minor: Number.parseInt(clientVersion.minor, 10) }
  } catch {
    return undefined
  }
}

function candidates(): string[] {
  const onPath = programOnPath('kubectl')
  const home = onPath && dirname(realpathSync(onPath))
  const siblings = home
    ? readdirSync(home)
        .filter((name) => /^kubectl\.1\.\d+$/.test(name))
        .map((name) => join(home, name))
    : []
  const named = (process.env['KUBECTL_PATHS'] ?? '').split(':').filter((path) => path !== '')
  return [...(onPath ? [onPath] : []), ...siblings, ...named].filter(isExecutable)
}

/** Paths without a version in their name and, of the others, the oldest and the newest, because running each takes a while. */
function ends(paths: readonly string[]): readonly string[] {
  if (process.env['ALL_KUBECTL']) return paths
  const minorOf = (path: string) => Number(/\.1\.(\d+)$/.exec(path)?.[1] ?? Number.NaN)
  const minors = paths.map(minorOf).filter((minor) => !Number.isNaN(minor))
  const [oldest, newest] = [Math.min(...minors), Math.max(...minors)]
  return paths.filter((path) => Number.isNaN(minorOf(path)) || [oldest, newest].includes(minorOf(path)))
}

/** The oldest and the newest kubectl of this machine, or all of them with ALL_KUBECTL=1. Empty when there is none. */
export function kubectls(): readonly KubectlBinary[] {
  const byMinor = new Map<number, KubectlBinary>()
  for (const path of ends(candidates())) {
    const found = inspect(path)
    // Prefers a real version to a wrapper that dispatches to others.
    if (found && !byMinor.get(found.minor)?.version.match(/^v[\d.]+$/)) byMinor.set(found.minor, found)
  }
  const all = [...byMinor.values()].toSorted((a, b) => a.minor - b.minor)
  const [oldest] = all
  const newest = all.at(-1)
  if (process.env['ALL_KUBECTL'] || !oldest || !newest) return all
  return oldest === newest ? [oldest] : [oldest, newest]
}

export interface RunOptions {
  readonly stdin?: string
  readonly env?: { readonly [name: string]: string }
  /** Milliseconds; default 30 s. */
  readonly timeout?: number
}

/** A kubectl running in the background. */
export interface Running {
  readonly stdout: () => string
  /** Resolves when the output matches. */
  sees(pattern: RegExp): Promise<void>
  readonly ended: Promise<Ran>
  kill(): void
}

export interface Kubectl {
  readonly binary: KubectlBinary
  /** Runs to the end, whatever the exit status. */
  try(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** Runs and returns standard output; fails when the exit status is not 0. */
  run(...args: string[]): Promise<string>
  /** The same, with an object or text as input of `-f -`. */
  pipe(input: object | string, ...args: string[]): Promise<string>
  start(...args: string[]): Running
}

/** Commands that start programs. For the others, kubectl would only list every directory of PATH in search of plugins. */
const startsPrograms = ['edit', 'diff']

/** kubectl with its own kubeconfig and home directory, which holds its discovery cache. */
export function kubectlWith(binary: KubectlBinary, kubeconfig: string, home: string): Kubectl {
  function launch(args: readonly string[], { stdin, env = {} }: RunOptions): { child: ChildProcess; output: Ran; ended: Promise<Ran> } {
    const child = spawn(binary.path, args, {
      env: {
        HOME: home,
        KUBECONFIG: kubeconfig,
        // Garbage collection would take a quarter of such a short run.
        GOGC: 'off',
        ...(args.some((argument) => startsPrograms.includes(argument)) && { PATH: process.env['PATH'] }),
        ...env,
      },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    const output = { code: -1, stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
    child.stdin?.end(stdin)
    const ended = once(child, 'close').then(([code]) => ({ ...output, code: code ?? -1 }))
    return { child, output, ended }
  }

  async function attempt(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { child, ended } = launch(args, options)
    try {
      return await within(`kubectl ${args.join(' ')}`, ended, options.timeout)
    } finally {
      child.kill('SIGKILL')
    }
  }

  async function succeed(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await attempt(args, options)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: exit status ${code}\n${stderr}${stdout}`)
    return stdout
  }

  return {
    binary,
    try: attempt,
    run: (...args) => succeed(args),
    pipe: (input, ...args) => succeed([...args, '-f', '-'], { stdin: typeof input === 'string' ? input : JSON.stringify(input) }),
    start(...args) {
      const { child, output, ended } = launch(args, {})
      return {
        stdout: () => output.stdout,
        ended,
        kill: () => child.kill('SIGKILL'),
        sees: (pattern) =>
          eventually(`kubectl ${args.join(' ')} prints ${pattern}`, async () => pattern.test(output.stdout)).then(
            () => undefined,
            (error: unknown) => {
              throw new Error(`${String(error)}; it printed:\n${output.stdout}${output.stderr}`)
            },
          ),
      }
    },
  }
}
