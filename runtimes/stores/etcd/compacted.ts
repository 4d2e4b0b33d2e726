import type { Client } from './client.ts'
import { everything } from './keys.ts'

/** The oldest available revision. etcd reports it only to a watch from the beginning; undefined when it does not. */
export async function oldestRevision({ watch }: Client): Promise<number | undefined> {
  let cancel = () => {}
  try {
    return await new Promise<number | undefined>((resolve) => {
      cancel = watch(
        { key: everything, startRevision: 1, prevKv: false },
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
