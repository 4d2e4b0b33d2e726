import type { Client } from './client.ts'
import { everything } from './keys.ts'

/** The oldest revision that is left, which only a watch from the beginning is told; undefined when the member doesn't say. */
export async function oldestRevision({ watch }: Client): Promise<number | undefined> {
  const stream = await watch.watch()
  try {
    return await new Promise<number | undefined>((resolve) => {
      stream.on('error', () => resolve(undefined))
      stream.on('end', () => resolve(undefined))
      stream.on('data', (response) => {
        if (response.canceled || response.events.length > 0) resolve(Number(response.compact_revision) || undefined)
      })
      stream.write({ create_request: { key: everything, start_revision: '1' } })
    })
  } finally {
    stream.cancel()
  }
}
