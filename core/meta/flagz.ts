import type { Platform } from '../platform.ts'
import type { FixedRequest } from './fixed-request.ts'
import { createZPage } from './zpage.ts'

/** `/flagz` (KEP-4828): the values of all flags. The reference separates name and value differently in each start. Throws 406. */
export function createFlagz(
  platform: Platform,
  cbor: boolean,
  flags: Readonly<Record<string, string>>,
): (request: FixedRequest) => Response {
  const sorted = Object.entries(flags).sort(([one], [other]) => (one < other ? -1 : 1))
  return createZPage(platform, cbor, {
    kind: 'Flagz',
    lines: () => sorted.map(([name, value]) => `${name}=${value}`),
    fields: () => ({ flags: Object.fromEntries(sorted) }),
  })
}
