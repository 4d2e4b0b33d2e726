/**
 * Ownership of a data directory: a listening unix socket in it. The kernel closes it with the process, however that ends, and answers for
 * it to every process on the same host, in whatever container. (Two hosts on one network file system do not see each other's.)
 */
import { mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pattern = /^owner\.(\d+)\.[0-9a-f]+$/
const draft = '.new'
/** How long to wait for an owner that is going away, such as one that was just killed. Milliseconds. */
const patience = 1000
/** Longest path of a socket that every host takes, in bytes: macOS has 104 with the end. */
const longestPath = 103

export interface Owner {
  release(): Promise<void>
}

/**
 * Makes this process the owner. First it lets its socket be seen, then it looks for others: of two that come at the same time at least one
 * sees the other, withdraws and tries again. A socket is listening when it gets its name, so one that refuses is a dead process's.
 * @throws Error in one line when another process is the owner.
 */
export async function takeOwnership(directory: string): Promise<Owner> {
  const end = Date.now() + patience
  for (;;) {
    const claim = await claimOf(directory)
    const other = await ownerOf(directory, claim.name).catch(async (error: unknown) => {
      await claim.release()
      throw error
    })
    if (other === undefined) return claim
    await claim.release()
    if (Date.now() > end) throw new Error(`in use by process ${other}`)
    await sleep(20 + Math.random() * 60)
  }
}

/** The id of a living process that owns the directory, or tries to; in another container it may have another id here. */
export async function ownerOf(directory: string, except?: string): Promise<number | undefined> {
  for (const name of readdirSync(directory)) {
    const [, pid] = pattern.exec(name) ?? []
    if (pid === undefined || name === except) continue
    if (await answers(directory, name)) return Number(pid)
    rmSync(join(directory, name), { force: true })
  }
  return undefined
}

async function claimOf(directory: string): Promise<Owner & { readonly name: string }> {
  const name = `owner.${process.pid}.${Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString('hex')}`
  const server = await withShortPath(directory, `${name}${draft}`, listen)
  try {
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
      // A connection that can't be taken, for want of descriptors perhaps, was answered by the kernel already.
      server.on('error', () => {})
      resolve(server)
    })
  })
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))

/** Only a refusal says that nobody listens any more; a socket that is full does not. */
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

/** Calls with a path of a file that a socket can have; a long one leads through a link in the temporary directory. */
async function withShortPath<T>(directory: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(resolve(directory), name)
  if (Buffer.byteLength(path) <= longestPath) return use(path)
  const short = mkdtempSync(join(tmpdir(), 'as-'))
  try {
    symlinkSync(resolve(directory), join(short, 'd'))
    return await use(join(short, 'd', name))
  } finally {
    rmSync(short, { recursive: true, force: true })
  }
}
