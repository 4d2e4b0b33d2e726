/**
 * Ownership of a data directory, and claims to a shared one: a listening unix socket in it. The kernel closes it when the process ends, for any reason. It is reachable
 * from all processes on the host, across containers. (Hosts that share a network file system do not see each other's sockets.)
 */
import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withShortPath } from '../../short-path.ts'

/** Role of the only user of a directory. */
const ownerRole = 'owner'
const draft = '.new'
/** Milliseconds to wait for an owner that is terminating. */
const defaultTimeout = 1000
/** Minimum and maximum milliseconds between two tries, chosen at random, so that two contenders do not meet again. */
const [minPause, maxPause] = [20, 80]

export interface Owner {
  release(): Promise<void>
}

/** A process that uses a directory, possibly beside others. */
export interface Claim extends Owner {
  readonly name: string
}

export interface OwnershipOptions {
  /** What is owned; default: the directory itself. */
  readonly role?: string
  /** Milliseconds to wait for another owner; default 1,000. */
  readonly timeout?: number
  /** Called once, when another process is the owner, with its id. */
  readonly waiting?: (pid: number) => void
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes this process the owner. It publishes its own socket before it looks for others: of two concurrent processes at least one sees the
 * other, withdraws and retries. A socket already listens when it gets its name, so one that refuses connections belongs to a dead process.
 * @throws Error in one line when another process is still the owner after the timeout.
 */
export async function takeOwnership(
  directory: string,
  { role = ownerRole, timeout = defaultTimeout, waiting, signal }: OwnershipOptions = {},
): Promise<Owner> {
  const end = performance.now() + timeout
  let told = false
  for (;;) {
    const claim = await claimOf(directory, role)
    const other = await ownerOf(directory, claim.name, role).catch(async (error: unknown) => {
      await claim.release()
      throw error
    })
    if (other === undefined) return claim
    await claim.release()
    signal?.throwIfAborted()
    if (performance.now() > end) throw new Error(`in use by process ${other}`)
    if (!told) waiting?.(other)
    told = true
    await sleep(minPause + Math.random() * (maxPause - minPause))
  }
}

/** What follows the role in the name of a claim. */
const claimed = /^\.(\d+)\.[0-9a-f]+$/

/** Process id of a live owner or contender, or of another process in a `role`. In another PID namespace the id may differ. */
export async function ownerOf(directory: string, except?: string, role = ownerRole): Promise<number | undefined> {
  for (const name of readdirSync(directory)) {
    if (name === except || !name.startsWith(`${role}.`)) continue
    const [, pid] = claimed.exec(name.slice(role.length)) ?? []
    if (pid === undefined) continue
    if (await answers(directory, name)) return Number(pid)
    rmSync(join(directory, name), { force: true })
  }
  return undefined
}

/** Makes this process known as a user of the directory; `role` is a word of letters. */
export async function claimOf(directory: string, role = ownerRole): Promise<Claim> {
  const name = `${role}.${process.pid}.${Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString('hex')}`
  const server = await withShortPath(directory, `${name}${draft}`, listen)
  try {
    // Whatever the umask. A process of another user is not let in, which tells it that there is an owner.
    chmodSync(join(directory, `${name}${draft}`), 0o600)
    renameSync(join(directory, `${name}${draft}`), join(directory, name))
  } catch (error) {
    await closed(server)
    throw error
  }
  return {
    name,
    async release() {
      rmSync(join(directory, name), { force: true })
      await closed(server)
    },
  }
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  server.unref()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      // Accept may fail, such as for lack of descriptors; the kernel has already completed the connection.
      server.on('error', () => {})
      resolve(server)
    })
  })
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))

/** Only ECONNREFUSED means that no process listens; a full backlog does not. */
function answers(directory: string, name: string): Promise<boolean> {
  return withShortPath(
    directory,
    name,
    (path) =>
      new Promise<boolean>((resolve) => {
        const socket = connect(path)
        socket.once('connect', () => {
          resolve(true)
          socket.destroy()
        })
        socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
      }),
  )
}
