/** Objects from manifests, put where they belong by server-side apply. */
import { parseAllDocuments } from 'yaml'
import type { Fetch, TestObject } from './server.ts'

interface ResourceList {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[]
}

/** Milliseconds that a kind may take to appear after its definition was applied. */
const patience = 2_000
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

/** Applies objects one after the other, as the field manager given, and returns them as they are stored. Fails at the first that is refused. */
export async function applyManifests(objects: readonly TestObject[], fetch: Fetch, fieldManager: string): Promise<TestObject[]> {
  const stored: TestObject[] = []
  for (const object of objects) {
    const url = `${await pathOf(object, fetch)}?fieldManager=${encodeURIComponent(fieldManager)}&force=true`
    const response = await fetch(url, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(object),
    })
    const answer = (await response.json()) as TestObject & { readonly message?: string }
    if (!response.ok) throw new Error(`${object.kind} ${object.metadata?.name}: ${answer.message ?? response.status}`)
    stored.push(answer)
  }
  return stored
}

async function pathOf({ apiVersion, kind, metadata }: TestObject, fetch: Fetch): Promise<string> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  for (const end = performance.now() + patience; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const response = await fetch(root)
    const { resources = [] } = (await response.json()) as Partial<ResourceList>
    const found = resources.find((each) => each.kind === kind && !each.name.includes('/'))
    if (found) {
      const scope = found.namespaced ? `/namespaces/${metadata?.namespace ?? 'default'}` : ''
      return `${root}${scope}/${found.name}/${metadata?.name ?? ''}`
    }
    if (performance.now() > end) throw new Error(`no kind ${kind} in ${apiVersion}`)
  }
}
