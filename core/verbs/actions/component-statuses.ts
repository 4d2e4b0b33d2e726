/** Health of control plane components, as far as this server knows: its store only (deprecated since 1.19). */

import { readListOptions } from '../../request/options.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { notFound } from '../../respond/status.ts'
import { createCodec } from '../../storage/codec.ts'
import { Entry } from '../../storage/entry.ts'
import { matcher, nameWanted } from '../query.ts'
import { respondEntry, respondList } from '../respond.ts'
import type { Target, Verb } from '../services.ts'
import type { VerbHandlers } from './action.ts'

async function health({ services: { table } }: Target): Promise<{ type: string; status: string; message?: string; error?: string }> {
  const namespaces = table.lookup('', 'v1', 'namespaces')
  try {
    await namespaces?.store.get(namespaces.store.keys.of('', 'default'))
    return { type: 'Healthy', status: 'True', message: 'ok' }
  } catch (error) {
    return { type: 'Healthy', status: 'Unknown', error: error instanceof Error ? error.message : 'the store does not respond' }
  }
}

async function storeStatus(target: Target): Promise<Entry> {
  const { services, resource } = target
  const name = `${services.platform.storeName}-0`
  const object = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [await health(target)] } as ApiObject
  const codec = createCodec(resource.definition)
  return new Entry(name, 0, codec.show(codec.print(codec.canonical(object))), codec)
}

const get: Verb = async (target) => {
  const status = await storeStatus(target)
  if (status.key !== target.name) throw notFound(target.resource.groupResource, target.name)
  return respondEntry(target, status)
}

const list: Verb = async (target) => {
  const options = readListOptions(target.exchange.query, target.services.platform, target.services.watchList)
  const status = await storeStatus(target)
  const { name = status.key } = nameWanted(options)
  const wanted = name === status.key && (matcher(target, options)?.(status) ?? true)
  return respondList(target, { entries: wanted ? [status] : [], revision: 0 }, undefined)
}

export const componentStatuses: VerbHandlers = { verbs: { get, list } }
