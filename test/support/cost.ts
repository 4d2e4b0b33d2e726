/** What a piece of work takes, told apart from what the machine's other tenants do. */

/** Milliseconds of processor time that this process uses for it, garbage collection included. */
export async function processorTime<T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, milliseconds: (user + system) / 1000 }
}
