/**
 * A network for a process of its own, with links to this host that can be cut: whatever is behind a cut link is gone without a word, as when a
 * host loses its power.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Command } from '../daemon.ts'

export interface Link {
  /** Addresses of its ends: this host's, and that of the process. */
  readonly host: string
  readonly inside: string
  cut(): void
  mend(): void
}

export interface Network {
  /** Runs a program there; its command follows. */
  readonly command: Command
  readonly links: readonly Link[]
  /** Established TCP connections of a process there with an address of this host, as lines of proc(5). */
  connections(pid: number, host: string): readonly string[]
  close(): void
}

function ip(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr}`)
}

const nameOf = (suffix: string) => `fw${process.pid % 100_000}${suffix}`

/** `count`: number of links. Throws when this host does not allow it. The addresses are of the range for tests of devices (RFC 2544). */
export function openNetwork(count: number): Network {
  const name = nameOf('n')
  const close = () => {
    // A namespace that is deleted gives up its links later; the next network has the same names.
    for (let at = 0; at < count; at++) spawnSync('ip', ['link', 'del', nameOf(`o${at}`)])
    spawnSync('ip', ['netns', 'del', name])
  }
  ip('netns', 'add', name)
  try {
    ip('-n', name, 'link', 'set', 'lo', 'up')
    const links = Array.from({ length: count }, (_, at): Link => {
      const [outer, inner] = [nameOf(`o${at}`), nameOf(`i${at}`)]
      const subnet = `198.18.${process.pid % 256}`
      const [host, inside] = [`${subnet}.${4 * at + 1}`, `${subnet}.${4 * at + 2}`]
      ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name)
      ip('addr', 'add', `${host}/30`, 'dev', outer)
      ip('link', 'set', outer, 'up')
      ip('-n', name, 'addr', 'add', `${inside}/30`, 'dev', inner)
      ip('-n', name, 'link', 'set', inner, 'up')
      return { host, inside, cut: () => ip('link', 'set', outer, 'down'), mend: () => ip('link', 'set', outer, 'up') }
    })
    return { command: ['ip', 'netns', 'exec', name], links, connections, close }
  } catch (error) {
    close()
    throw error
  }
}

/** The state of established connections in proc(5). */
const established = '01'

function connections(pid: number, host: string): readonly string[] {
  const reversed = host
    .split('.')
    .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
    .reverse()
    .join('')
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1))
    .filter((line) => {
      const [, , remote = '', state] = line.trim().split(/\s+/)
      return state === established && remote.split(':')[0]?.endsWith(reversed)
    })
}

/** Why there are no such networks here; false: there are. */
export const noNetworks = (() => {
  try {
    openNetwork(1).close()
    return false
  } catch (error) {
    return `no network namespaces: ${(error as Error).message.trim()}`
  }
})()
