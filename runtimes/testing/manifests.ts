/** Objects from manifests, put where they belong by server-side apply. */
import { parseAllDocuments } from 'yaml'
import { ApiFailure } from './failure.ts'
import { collectionPath } from './object-path.ts'
import type { Fetch, TestObject } from './server.ts'

const aliasLimit = 100

/** The documents of a YAML (or JSON) text; lists are taken apart. */
export function readManifests(text: string): TestObject[] {
  return parseAllDocuments(text).flatMap((document, index): TestObject[] => {
    const [error] = document.errors
    if (error) throw new Error(`manifest ${index + 1}: ${error.message.split('\n')[0]}`)
    const object = document.toJS({ maxAliasCount: aliasLimit }) as TestObject | null
    return object ? itemsOf(object, `manifest ${index + 1}`) : []
  })
}

function itemsOf(object: TestObject, where: string): TestObject[] {
  if (object.kind === 'List' && Array.isArray(object['items'])) return object['items'] as TestObject[]
  if (!object.apiVersion || !object.kind) throw new Error(`${where}: apiVersion and kind are required`)
  return [object]
}

/** Applies one object as a field manager, taking over fields of others. Rejects with an ApiFailure when it is refused. */
export async function applyObject(fetch: Fetch, path: string, object: TestObject, fieldManager: string): Promise<TestObject> {
  const response = await fetch(`${path}?fieldManager=${encodeURIComponent(fieldManager)}&force=true`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
  })
  if (!response.ok) throw await ApiFailure.of(response, `${object.kind} ${object.metadata?.name}`)
  return (await response.json()) as TestObject
}

/** Applies objects one after the other and returns them as they are stored. Fails at the first that is refused. */
export async function applyManifests(objects: readonly TestObject[], fetch: Fetch, fieldManager: string): Promise<TestObject[]> {
  const stored: TestObject[] = []
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object
    const collection = await collectionPath(fetch, apiVersion, kind, metadata?.namespace)
    stored.push(await applyObject(fetch, `${collection}/${metadata?.name ?? ''}`, object, fieldManager))
  }
  return stored
}
