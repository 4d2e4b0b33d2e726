/**
 * CPU time of requests for a custom resource and for a config map of the same size, in one process. Prints JSON:
 * microseconds of both, by row. `custom-resource-rows.ts` bundles and runs it. Argument: rounds.
 */
import { createApiServer, memoryStore } from '../../runtimes/web/index.ts'
import { kinds, objectOf, requestsOf, widgets } from './custom-resource-requests.ts'

const rounds = Number(process.argv[2] ?? 6)
const requests = 1000
const server = await createApiServer({ store: memoryStore(), controllers: [] })

async function send(method: string, path: string, body?: string, type = 'application/json'): Promise<string> {
  const init = body === undefined ? { method } : { method, headers: { 'content-type': type }, body }
  const response = await server.fetch(new Request(`http://server${path}`, init))
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
await send('POST', definitions, JSON.stringify(widgets))
while (!(await send('GET', `${definitions}/${widgets.metadata.name}`)).includes('"InitialNamesAccepted"'))
  await new Promise((resolve) => setTimeout(resolve, 5))
for (const kind of kinds)
  for (let index = 0; index < 1000; index++) await send('POST', kind.path, JSON.stringify(objectOf(kind, `object-${index}`)))

const best: { [row: string]: [custom: number, builtIn: number] } = {}
for (let round = 0; round < rounds; round++) {
  for (const [row, make] of Object.entries(requestsOf)) {
    const known = best[row] ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    best[row] = known
    const count = row === 'LIST 1,000' ? requests / 50 : requests
    // Alternates the order, because garbage of the one is collected during the next.
    const order = [...kinds.entries()]
    for (const [index, kind] of round % 2 === 0 ? order : order.reverse()) {
      const before = process.cpuUsage()
      for (let at = 0; at < count; at++) {
        const { method = 'GET', path, body, type } = make(kind)
        const n = `${round}-${at}`
        await send(method, path.replaceAll('{k}', String(at)), body?.replaceAll('{n}', n), type)
      }
      const { user, system } = process.cpuUsage(before)
      known[index as 0 | 1] = Math.min(known[index as 0 | 1], (user + system) / count)
    }
  }
}
console.log(JSON.stringify(best))
await server.close()
