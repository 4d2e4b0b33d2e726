/** Health of control plane components (deprecated since 1.19): the scheduler and the controller manager on this host, and the store. */

import { notFound } from '../../answers/status.ts'
import { unstoredEntry } from '../../objects/storage/object-store.ts'
import type { StoredObject } from '../../objects/storage/stored-object.ts'
import { clientError } from '../../outgoing/dial-error.ts'
import { readText } from '../../outgoing/read-text.ts'
import { withinTime } from '../../outgoing/time-limit.ts'
import { readListOptions } from '../../request/options.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { messageOf } from '../../schema/message-of.ts'
import { matcher, nameWanted } from '../query.ts'
import { respondEntry, respondList } from '../respond.ts'
import type { Services, Target, Verb } from '../services.ts'
import type { VerbHandlers } from './action.ts'

interface Health {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly message?: string
  readonly error?: string
}

type Agents = Services['agents']
type Check = (agents: Agents, target: Target) => Promise<Health>

/** Milliseconds of a check, and maximum bytes of its answer. */
const checkTime = 20_000
const maxAnswerBytes = 10 * 1024

/** Asks a component at its port of this host, whose self-signed certificate is not verified. */
const probe =
  (port: number): Check =>
  async ({ outbound, clock }, { exchange }) => {
    const url = new URL(`https://127.0.0.1:${port}/healthz`)
    try {
      return await withinTime(clock, checkTime, exchange.signal, async (signal) => {
        const response = await outbound.fetch(new Request(url, { signal, redirect: 'manual' }), { insecure: true })
        const text = await readText(response, maxAnswerBytes)
        if (response.status < 200 || response.status >= 400)
          return { status: 'False', message: `HTTP probe failed with statuscode: ${response.status}` }
        return { status: 'True', message: text }
      })
    } catch (error) {
      return { status: 'False', message: `Get ${JSON.stringify(url.href)}: ${clientError(error, url)}` }
    }
  }

const storeHealth: Check = async ({ table }) => {
  const namespaces = table.lookup('', 'v1', 'namespaces')
  try {
    await namespaces?.store.get({ namespace: '', name: 'default' })
    return { status: 'True', message: 'ok' }
  } catch (error) {
    return { status: 'Unknown', error: messageOf(error) }
  }
}

const checksOf = ({ platform }: Agents): { readonly [name: string]: Check } => ({
  'controller-manager': probe(10_257),
  scheduler: probe(10_259),
  [`${platform.storeName}-0`]: storeHealth,
})

async function statusOf(agents: Agents, target: Target, name: string, check: Check): Promise<StoredObject> {
  const conditions = [{ type: 'Healthy', ...(await check(agents, target)) }]
  const object = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions } as ApiObject
  return unstoredEntry(target.resource.definition, name, object)
}

export function componentStatuses({ agents, lists, answers }: Pick<Services, 'agents' | 'lists' | 'answers'>): VerbHandlers {
  const checks = checksOf(agents)

  const get: Verb = async (target) => {
    const check = Object.hasOwn(checks, target.name) ? checks[target.name] : undefined
    if (check === undefined) throw notFound({ group: '', resource: 'componentstatus' }, target.name)
    return respondEntry(answers, target, await statusOf(agents, target, target.name, check))
  }

  const list: Verb = async (target) => {
    const options = readListOptions(target.exchange.query, lists.platform, lists.watchList)
    const { name: wanted } = nameWanted(options)
    const asked = Object.entries(checks).filter(([name]) => wanted === undefined || name === wanted)
    const all = await Promise.all(asked.map(([name, check]) => statusOf(agents, target, name, check)))
    return respondList(answers, target, { entries: all.filter(matcher(target, options) ?? (() => true)), revision: 0 }, undefined)
  }

  return { verbs: { get, list } }
}
