import type { ResourceTable } from '../objects/registry/served.ts'

/** Starts the allocations of IP addresses and ports of services; the returned function stops them. */
export async function startReservations(table: ResourceTable): Promise<() => void> {
  const all = new Set(table.all().flatMap((each) => each.reservations ?? []))
  const started = await Promise.allSettled([...all].map((each) => each.start()))
  const stop = () => {
    for (const each of started) if (each.status === 'fulfilled') each.value()
  }
  const failed = started.find((each) => each.status === 'rejected')
  if (failed === undefined) return stop
  stop()
  throw failed.reason
}
