import type { ByteStream, Clock } from '../../ports.ts'

/** Milliseconds that one direction may continue after the other has ended. */
const linger = 30_000

const over = () => new Error('the other direction has ended')

/**
 * Copies both directions with back pressure until both have ended. When one direction ends, its receiver is closed, and the other direction
 * may continue for `linger`. A failure ends both. Never rejects.
 */
export async function join(one: ByteStream, other: ByteStream, signal: AbortSignal, clock: Pick<Clock, 'after'>): Promise<void> {
  const ending = new AbortController()
  const ends = AbortSignal.any([signal, ending.signal])
  let cancel = () => {}
  const copy = (from: ByteStream, to: ByteStream) =>
    from.readable.pipeTo(to.writable, { signal: ends }).then(
      () => {
        cancel = clock.after(linger, () => ending.abort(over()))
      },
      (error: unknown) => ending.abort(error),
    )
  await Promise.all([copy(one, other), copy(other, one)])
  cancel()
}
