/** Applies manifests with server-side apply. */
import { encodeUtf8 } from '../../core/schema/formats/utf8.ts'
import type { Json } from '../../core/schema/model.ts'
import { documentsOf } from '../../core/schema/yaml/documents.ts'
import { yamlInput } from '../../core/schema/yaml/input.ts'
import { readYaml, YamlError } from '../../core/schema/yaml/reader.ts'
import type { Send } from '../call.ts'
import { ApiFailure } from './failure.ts'
import { objectIn } from './json-copy.ts'
import type { Caller } from './objects.ts'
import type { TestObject } from './server.ts'

const definitionKind = 'CustomResourceDefinition'
/** Milliseconds to wait until a CustomResourceDefinition is established. */
const establishTimeout = 10_000

interface Definition extends TestObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[] }
}

/** The objects of a YAML or JSON text, read as kubectl reads it: YAML 1.1. Lists are expanded. */
export function readManifests(manifests: string): TestObject[] {
  const { text, fault } = yamlInput(encodeUtf8(manifests))
  if (fault !== undefined) throw new Error(`yaml: ${fault}`)
  const documents = documentsOf(text).filter(({ body }) => body.trim() !== '')
  return documents.flatMap(({ body }, index): TestObject[] => {
    const where = `manifest ${index + 1}`
    const value = readDocument(body, where)
    return value === null ? [] : itemsOf(value as unknown as TestObject, where)
  })
}

function readDocument(body: string, where: string): Json {
  const repeated = (key: string, line: number) => {
    throw new Error(`${where}: line ${line + 1}: the key ${JSON.stringify(key)} stands there twice`)
  }
  try {
    return readYaml({ text: body }, { first: true, repeated })
  } catch (error) {
    throw error instanceof YamlError ? new Error(`${where}: ${error.message}`) : error
  }
}

function itemsOf(object: TestObject, where: string): TestObject[] {
  if (object.kind === 'List' && Array.isArray(object['items'])) return object['items'] as TestObject[]
  if (!object.apiVersion || !object.kind) throw new Error(`${where}: apiVersion and kind are required`)
  return [object]
}

/**
 * Applies one object with force, so that it takes over fields of other managers. Fields that the schema does not have are refused, as
 * `kubectl apply` does. Rejects with an ApiFailure.
 */
export async function applyObject(send: Send, path: string, object: TestObject, fieldManager: string): Promise<TestObject> {
  const response = await send({
    method: 'PATCH',
    target: `${path}?fieldManager=${encodeURIComponent(fieldManager)}&force=true&fieldValidation=Strict`,
    headers: ['content-type', 'application/apply-patch+yaml'],
    body: JSON.stringify(object),
  })
  if (!response.ok) throw await ApiFailure.of(response, `${object.kind} ${object.metadata?.name}`)
  return (objectIn(response) ?? JSON.parse(await response.text())) as TestObject
}

/**
 * Applies objects in order and returns the stored objects; CustomResourceDefinitions are returned once they are established. Rejects at the
 * first error.
 */
export async function applyManifests(
  objects: readonly TestObject[],
  { send, collectionPath }: Caller,
  fieldManager: string,
): Promise<TestObject[]> {
  const stored: TestObject[] = []
  const serving: Promise<void>[] = []
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object
    const isDefinition = kind === definitionKind && apiVersion.startsWith('apiextensions.')
    // Definitions are established concurrently; the objects after them may be of their kinds.
    if (!isDefinition) await Promise.all(serving.splice(0))
    const collection = await collectionPath(apiVersion, kind, metadata?.namespace)
    const path = `${collection}/${metadata?.name ?? ''}`
    const index = stored.push(await applyObject(send, path, object, fieldManager)) - 1
    if (!isDefinition) continue
    const established = whenEstablished(send, path).then((definition) => {
      stored[index] = definition
    })
    established.catch(() => undefined)
    serving.push(established)
  }
  await Promise.all(serving)
  return stored
}

/** Resolves to the definition when its kinds are served. Rejects on a name conflict or timeout. */
async function whenEstablished(send: Send, path: string): Promise<TestObject> {
  for (const end = performance.now() + establishTimeout; ; await new Promise((resolve) => setTimeout(resolve, 5))) {
    const definition = JSON.parse(await (await send({ method: 'GET', target: path })).text()) as Definition
    const conditionOf = (type: string) => definition.status?.conditions?.find((each) => each.type === type)
    if (conditionOf('Established')?.status === 'True') return definition
    const accepted = conditionOf('NamesAccepted')
    const why = accepted?.status === 'False' ? (accepted.message ?? '') : `not established within ${establishTimeout} ms`
    if (accepted?.status === 'False' || performance.now() > end) throw new Error(`${definition.kind} ${definition.metadata?.name}: ${why}`)
  }
}
