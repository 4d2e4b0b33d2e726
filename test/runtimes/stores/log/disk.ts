/**
 * A disk in memory that can lose power. Writes that are not synced are then dropped, kept or torn, sector by sector and
 * in any order; likewise files created, renamed or removed since the last sync of the directory.
 */
import type { LogDirectory, LogFile } from '../../../../runtimes/stores/log/files.ts'
import type { RandomNumbers } from '../../../support/random.ts'

const sector = 512

interface Write {
  readonly position: number
  /** Absent: truncated to `position`. */
  readonly bytes?: Buffer
}

/** A file: the content that programs see, the content on disk, and pending writes. */
class Content {
  seen: Buffer = Buffer.alloc(0)
  kept: Buffer = Buffer.alloc(0)
  pending: Write[] = []
}

type Rename = { readonly content: Content; readonly name: string; readonly from?: string } | { readonly removed: string }

export interface DiskOptions {
  /** Capacity in bytes; default: unlimited. */
  readonly capacity?: number
}

export class Disk implements LogDirectory {
  readonly path = 'disk'
  capacity: number
  /** Operations until the power cut. */
  operationsLeft = Number.POSITIVE_INFINITY
  /** Number of syncs that fail next; their writes may or may not be lost. */
  failingSyncs = 0
  readonly #random: RandomNumbers
  #seen = new Map<string, Content>()
  #kept = new Map<string, Content>()
  #pending: Rename[] = []

  constructor(random: RandomNumbers, { capacity = Number.POSITIVE_INFINITY }: DiskOptions = {}) {
    this.#random = random
    this.capacity = capacity
  }

  names(): readonly string[] {
    return [...this.#seen.keys()]
  }

  open(name: string): LogFile {
    this.#operate()
    const content = this.#seen.get(name)
    if (!content) throw Object.assign(new Error(`no such file: ${name}`), { code: 'ENOENT' })
    return this.#file(content)
  }

  create(name: string): LogFile {
    this.#operate()
    const content = new Content()
    this.#seen.set(name, content)
    this.#pending.push({ content, name })
    return this.#file(content)
  }

  rename(from: string, name: string): void {
    this.#operate()
    const content = this.#seen.get(from)!
    this.#seen.delete(from)
    this.#seen.set(name, content)
    this.#pending.push({ content, name, from })
  }

  remove(name: string): void {
    this.#operate()
    if (this.#seen.delete(name)) this.#pending.push({ removed: name })
  }

  async sync(): Promise<void> {
    this.#operate()
    this.#kept = new Map(this.#seen)
    this.#pending = []
  }

  /** Content of a file as programs see it. */
  content(name: string): Buffer {
    return this.#seen.get(name)?.seen ?? Buffer.alloc(0)
  }

  /** Replaces the content of a file, on the disk too. */
  damage(name: string, bytes: Buffer): void {
    const content = this.#seen.get(name)!
    content.seen = Buffer.from(bytes)
    content.kept = Buffer.from(bytes)
    content.pending = []
  }

  /** A copy with the content that programs see now, as a killed process leaves it. */
  copy(): Disk {
    const copy = new Disk(this.#random, { capacity: this.capacity })
    for (const [name, { seen }] of this.#seen) {
      const content = new Content()
      content.seen = Buffer.from(seen)
      content.kept = Buffer.from(seen)
      copy.#seen.set(name, content)
      copy.#kept.set(name, content)
    }
    return copy
  }

  /** A disk with the content after a power cut. */
  afterPowerCut(): Disk {
    const random = this.#random
    for (const change of this.#pending) {
      if (random.chance(0.5)) continue
      if ('removed' in change) this.#kept.delete(change.removed)
      else if (change.from === undefined || this.#kept.get(change.from) === change.content) {
        if (change.from !== undefined) this.#kept.delete(change.from)
        this.#kept.set(change.name, change.content)
      }
    }
    this.#seen = new Map(this.#kept)
    for (const content of new Set(this.#seen.values())) content.seen = torn(content, random)
    return this.copy()
  }

  #operate(): void {
    if (this.operationsLeft-- <= 0) throw Object.assign(new Error('power is lost'), { code: 'EIO' })
  }

  #used(): number {
    return [...new Set(this.#seen.values())].reduce((sum, { seen }) => sum + seen.length, 0)
  }

  #file(content: Content): LogFile {
    return {
      read: (target, position) => content.seen.subarray(position, position + target.length).copy(target),
      write: (bytes, position) => {
        this.#operate()
        const room = Math.max(0, this.capacity - this.#used()) + content.seen.length - position
        const fits = Buffer.from(bytes.subarray(0, Math.max(0, room)))
        content.seen = applied(content.seen, { position, bytes: fits })
        content.pending.push({ position, bytes: fits })
        if (fits.length < bytes.length) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      },
      truncate: (length) => {
        this.#operate()
        content.seen = applied(content.seen, { position: length })
        content.pending.push({ position: length })
      },
      sync: async () => {
        this.#operate()
        const pending = content.pending
        content.pending = []
        if (this.failingSyncs > 0) {
          this.failingSyncs--
          // After a failed sync the kernel considers these pages clean.
          content.kept = torn({ ...content, pending } as Content, this.#random)
          throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
        }
        await new Promise((resolve) => setImmediate(resolve))
        if (this.operationsLeft <= 0) {
          content.pending = [...pending, ...content.pending]
          this.#operate()
        }
        for (const write of pending) content.kept = applied(content.kept, write)
      },
      size: () => content.seen.length,
      close() {},
    }
  }
}

/** Applies a write; in place where it lies within the existing content. */
function applied(before: Buffer, { position, bytes }: Write): Buffer {
  if (!bytes) return before.subarray(0, position)
  const after =
    position + bytes.length <= before.length ? before : Buffer.concat([before], Math.max(before.length, position + bytes.length))
  bytes.copy(after, position)
  return after
}

/** Applies some sectors of the pending writes, in any order. */
function torn({ kept, pending }: Content, random: RandomNumbers): Buffer {
  const fate = random.integer(3)
  if (fate === 0) return Buffer.from(kept)
  const pieces = pending.flatMap(({ position, bytes }): Write[] => {
    if (!bytes) return [{ position }]
    const parts: Write[] = []
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + sector - ((position + at) % sector))
      parts.push({ position: position + at, bytes: bytes.subarray(at, end) })
      at = end
    }
    return parts
  })
  const chosen = fate === 1 ? pieces.slice(0, random.integer(pieces.length + 1)) : pieces.filter(() => random.chance(0.7))
  return chosen.reduce<Buffer>((content, piece) => {
    // A sector may be torn too.
    const cut =
      piece.bytes && random.chance(0.1) ? { ...piece, bytes: piece.bytes.subarray(0, random.integer(piece.bytes.length + 1)) } : piece
    return applied(content, cut)
  }, Buffer.from(kept))
}
