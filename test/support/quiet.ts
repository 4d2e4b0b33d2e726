/** Waits for work in this process, some of which other threads do. */

/** Calls of Web Crypto in flight. */
let calls = 0

/** Counts calls of Web Crypto: their results come from other threads, after any number of turns of the event loop. */
const operations: { [name: string]: unknown } = Object.getPrototypeOf(crypto.subtle)
for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(operations))) {
  if (typeof value !== 'function' || name === 'constructor') continue
  operations[name] = async function counted(this: SubtleCrypto, ...given: readonly unknown[]) {
    calls++
    try {
      return await Reflect.apply(value, this, given)
    } finally {
      calls--
    }
  }
}

/** Turns of the event loop without a call after which nothing follows: promises and streams take fewer. */
const enough = 20

/** Waits until no call of Web Crypto is in flight and nothing that was resolved goes on: what is pending waits for a timer or for the test. */
export async function quiet(): Promise<void> {
  for (let turns = 0; turns < enough; turns = calls > 0 ? 0 : turns + 1) await new Promise((resolve) => setImmediate(resolve))
}
