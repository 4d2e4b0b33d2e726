import type { Writable } from 'node:stream'

/**
 * Writes a stream to a socket, each chunk at once, and no faster than the client reads. When the client goes, the stream is cancelled.
 * Rejects when the stream fails; then what was written is incomplete, and the caller must not end it as if it were whole.
 */
export async function pump(body: ReadableStream<Uint8Array>, writable: Writable): Promise<void> {
  const reader = body.getReader()
  let gone = writable.destroyed
  let wake: (() => void) | undefined
  const awake = () => wake?.()
  const leave = () => {
    gone = true
    reader.cancel(new Error('the client closed the connection')).catch(() => {})
    awake()
  }
  if (gone) {
    leave()
    return
  }
  writable.on('close', leave)
  writable.on('drain', awake)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || gone) break
      if (!writable.write(value)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        if (gone) break
      }
    }
    if (!gone) writable.end()
  } finally {
    writable.off('close', leave)
    writable.off('drain', awake)
  }
}
