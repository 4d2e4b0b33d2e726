import type { Client } from './client.ts'
import { everything } from './keys.ts'

/** The oldest revision that is left, which only a watch from the beginning is told; undefined when the member doesn't say. */
export async function oldestRevision({ watch }: Client): Promise<number | undefined> {
  let cancel = () => {}
  try {
    return await new Promise<number | undefined>((resolve) => {
      cancel = watch(
        { key: everything, start_revision: '1' },
        {
          response({ canceled, events, compactRevision }) {
            if (canceled || events.length > 0) resolve(compactRevision || undefined)
          },
          end: () => resolve(undefined),
        },
      )
    })
  } finally {
    cancel()
  }
}
