/** What exists in a cluster, for manifests that will update it. */
import { resolve } from 'node:path'
import type { WebhookConnection } from '../../../core/outgoing/webhook/connection.ts'
import { loadConnectionFile } from '../../../core/outgoing/webhook/connection-file.ts'
import { messageOf } from '../../../core/schema/message-of.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { ask, baseOf } from '../start/ask.ts'
import { nodeClock, nodeFiles } from '../start/ports.ts'

export interface Cluster {
  /** The object, or the list, at a path; undefined: there is none. Rejects with a one-line Error for other answers. */
  get(path: string): Promise<JsonObject | undefined>
}

/** The cluster that a connection file names. Rejects with a one-line error. */
export async function openCluster(kubeconfig: string): Promise<Cluster> {
  const connection = await loadConnectionFile(resolve(kubeconfig), { files: nodeFiles, clock: nodeClock })
  return { get: (path) => read(connection, path) }
}

async function read(connection: WebhookConnection, path: string): Promise<JsonObject | undefined> {
  const target = baseOf(connection) + path
  const response = await ask(connection, path, 'application/json').catch((error: unknown) => {
    throw new Error(`${target}: no answer: ${messageOf(error)}`)
  })
  const body = await response.text()
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${target}: status ${response.status}: ${body.slice(0, 400)}`)
  return JSON.parse(body) as JsonObject
}
