/** Maintenance.Snapshot: the database as a file of bbolt, in pieces, and its checksum. */
import { createHash } from 'node:crypto'
import type { Call, Method } from './calls.ts'
import { databasePages } from './database.ts'
import type { Member } from './member.ts'
import { decode } from './message.ts'
import { emptyRequest, type SnapshotResponse, snapshotResponse } from './messages.ts'

/** All versions and leases at this moment, as pages of a file. */
function pagesOf(member: Member): Promise<readonly Buffer[]> {
  const { history, compacted } = member
  const { leases } = member.options.engine
  const granted = leases.ids().map((id) => ({ id, seconds: leases.times(id)?.granted ?? 0 }))
  return databasePages({ revision: history.revision, compacted, versions: history.kept(), leases: granted })
}

/** Sends a piece whenever the client has read those before. */
class Sending {
  readonly #call: Call
  readonly #pieces: Iterator<SnapshotResponse>
  #isOver = false

  constructor(call: Call, pages: readonly Buffer[]) {
    this.#call = call
    this.#pieces = pieces(pages)
  }

  /** A piece may be sent at once, and then this is called again before it returns. */
  next(): void {
    if (this.#isOver) return
    const { done = false, value } = this.#pieces.next()
    if (done) {
      this.#isOver = true
      this.#call.finish()
    } else this.#call.send(snapshotResponse, value)
  }
}

function* pieces(pages: readonly Buffer[]): Generator<SnapshotResponse> {
  const hash = createHash('sha256')
  let left = pages.reduce((sum, { length }) => sum + length, 0)
  for (const page of grouped(pages)) {
    hash.update(page)
    left -= page.length
    yield { remainingBytes: left, blob: page }
  }
  yield { remainingBytes: 0, blob: hash.digest() }
}

const pieceBytes = 64 * 1024

function* grouped(pages: readonly Buffer[]): Generator<Buffer> {
  let group: Buffer[] = []
  let size = 0
  for (const page of pages) {
    group.push(page)
    size += page.length
    if (size < pieceBytes) continue
    yield Buffer.concat(group)
    group = []
    size = 0
  }
  if (group.length > 0) yield Buffer.concat(group)
}

export const snapshotMethod = (member: Member): Method => ({
  request: emptyRequest,
  isStream: true,
  open(call) {
    let sending: Sending | undefined
    return {
      message(message) {
        decode(emptyRequest, message)
        pagesOf(member).then(
          (pages) => {
            sending = new Sending(call, pages)
            sending.next()
          },
          (error) => call.refuse(error),
        )
      },
      drained: () => sending?.next(),
    }
  },
})
