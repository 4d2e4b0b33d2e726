import { defaultMaxFrameSize, frameHeaderLength } from './frames.ts'

const kinds = [
  // A few small responses, or the events of a few watches.
  { size: 16 * 1024, kept: 256 },
  // A multiple of the usual DATA frame.
  { size: 16 * (defaultMaxFrameSize + frameHeaderLength), kept: 32 },
] as const

/** Sizes in bytes of small and large buffers. */
export const [{ size: smallBuffer }, { size: largeBuffer }] = kinds

/**
 * A pool of buffers. Allocating a buffer for every write is cheap by itself, but memory outside of the heap triggers garbage collections.
 */
export class Buffers {
  readonly #free: readonly Buffer[][] = kinds.map(() => [])

  /** A buffer of at least this size, with arbitrary content. */
  take(size: number): Buffer {
    const kind = kinds.findIndex((each) => size <= each.size)
    return this.#free[kind]?.pop() ?? Buffer.allocUnsafeSlow(kinds[kind]?.size ?? size)
  }

  /** Returns a buffer to the pool. */
  give(buffer: Buffer): void {
    const kind = kinds.findIndex(({ size }) => size === buffer.length)
    const free = this.#free[kind]
    if (free !== undefined && free.length < (kinds[kind]?.kept ?? 0)) free.push(buffer)
  }
}
