/** The page: a list of objects that changes live, and an editor that applies YAML and shows what the server says, as one types. */
import { parseAllDocuments, stringify } from 'yaml'
import { type Cluster, follow, manager, pathOf, type Resource, type StoredObject, startCluster } from './cluster.ts'
import { samples } from './samples.ts'

const element = <E extends HTMLElement>(id: string) => document.getElementById(id) as E
const [editor, answer, rows, status, all] = [
  element<HTMLTextAreaElement>('editor'),
  element('answer'),
  element('objects'),
  element('status'),
  element<HTMLInputElement>('all'),
]

/** What a client writes of an object. */
interface Document {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
}

interface Status {
  readonly message?: string
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] }
}

interface Line {
  readonly text: string
  readonly field?: string
  readonly isGood: boolean
}

function show(lines: readonly Line[]): void {
  answer.replaceChildren(
    ...lines.map(({ text, field, isGood }) => {
      const line = document.createElement('p')
      line.className = isGood ? 'good' : 'bad'
      if (field !== undefined) {
        const name = document.createElement('b')
        name.textContent = `${field} `
        line.append(name)
      }
      line.append(text)
      return line
    }),
  )
}

/** Writes the documents of the editor, or only asks what would happen. */
async function write(cluster: Cluster, isDryRun: boolean): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (const document of parseAllDocuments(editor.value)) {
    const [problem] = document.errors
    if (problem) return [...lines, { text: problem.message, isGood: false }]
    const { apiVersion = '', kind = '', metadata = {} } = (document.toJS() ?? {}) as Document
    const { name = '', namespace = 'default' } = metadata
    const resource = await resourceOf(cluster, apiVersion, kind, isDryRun)
    if (resource === undefined) return [...lines, { text: `no matches for kind "${kind}" in version "${apiVersion}"`, isGood: false }]
    const query = `fieldManager=${manager}&force=true&fieldValidation=Strict${isDryRun ? '&dryRun=All' : ''}`
    const began = performance.now()
    const { status: code, body } = await cluster.call(`${pathOf(resource, namespace, name)}?${query}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: String(document),
    })
    const took = `${(performance.now() - began).toFixed(1)} ms`
    const what = `${resource.plural} "${name}"`
    if (code < 300)
      lines.push({ text: `${what} ${isDryRun ? 'is valid' : code === 201 ? 'created' : 'configured'} (${took})`, isGood: true })
    else lines.push(...problemsIn(body as Status))
  }
  return lines
}

function problemsIn({ message = '', details: { causes = [] } = {} }: Status): readonly Line[] {
  // The object as a whole has the path <nil>.
  const listed = causes.filter(({ field }) => field && field !== '<nil>')
  if (listed.length === 0) return [{ text: message, isGood: false }]
  return listed.map(({ field = '', message: text = '' }) => ({ field, text, isGood: false }))
}

/** The resource of a kind. A definition that was just applied is served a little later: a write waits for it. */
async function resourceOf(cluster: Cluster, apiVersion: string, kind: string, isDryRun: boolean): Promise<Resource | undefined> {
  for (let tries = isDryRun ? 1 : 30; ; tries--) {
    const found = (await cluster.resources()).find((each) => each.apiVersion === apiVersion && each.kind === kind)
    if (found || tries <= 1) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The rows of the list, by uid, in the order of kinds and names. */
function createList(cluster: Cluster, edit: (text: string) => void) {
  const known = new Map<string, { readonly object: StoredObject; readonly resource: Resource; readonly row: HTMLTableRowElement }>()
  const orderOf = ({ kind, metadata: { namespace = '', name } }: StoredObject) => `${kind} ${namespace} ${name}`

  function rowOf(object: StoredObject, resource: Resource): HTMLTableRowElement {
    const { kind, metadata } = object
    const row = document.createElement('tr')
    for (const text of [kind, metadata.namespace ?? '', metadata.name, String(metadata.generation ?? '')])
      row.insertCell().textContent = text
    const remove = document.createElement('button')
    remove.textContent = '✕'
    remove.title = 'Delete'
    remove.onclick = (event) => {
      event.stopPropagation()
      void cluster.call(pathOf(resource, metadata.namespace, metadata.name), { method: 'DELETE' })
    }
    row.insertCell().append(remove)
    row.onclick = () => edit(manifestOf(object))
    row.dataset['name'] = metadata.name
    const isOwn = metadata.managedFields?.some((fields) => fields.manager === manager) ?? false
    row.dataset['own'] = String(isOwn)
    row.hidden = !isOwn && !all.checked
    return row
  }

  function set(object: StoredObject, resource: Resource): void {
    const { uid, resourceVersion } = object.metadata
    const before = known.get(uid)
    if (before?.object.metadata.resourceVersion === resourceVersion) return
    const row = rowOf(object, resource)
    row.className = 'new'
    before?.row.remove()
    const order = orderOf(object)
    const next = [...known.values()]
      .filter((each) => each.object.metadata.uid !== uid && orderOf(each.object) > order)
      .reduce<string | undefined>(
        (least, each) => (least === undefined || orderOf(each.object) < least ? orderOf(each.object) : least),
        undefined,
      )
    const following = [...known.values()].find((each) => orderOf(each.object) === next)
    rows.insertBefore(row, following?.row ?? null)
    known.set(uid, { object, resource, row })
  }
  function gone({ metadata: { uid } }: StoredObject): void {
    known.get(uid)?.row.remove()
    known.delete(uid)
  }
  all.onchange = () => {
    for (const { row } of known.values()) row.hidden = row.dataset['own'] !== 'true' && !all.checked
  }
  return {
    known,
    of: (resource: Resource) => ({
      set: (object: StoredObject) => set(object, resource),
      gone,
      all(objects: readonly StoredObject[]) {
        const present = new Set(objects.map(({ metadata }) => metadata.uid))
        for (const each of known.values())
          if (each.resource.plural === resource.plural && !present.has(each.object.metadata.uid)) gone(each.object)
        for (const object of objects) set(object, resource)
      },
    }),
  }
}

/** The object as one would have written it. */
function manifestOf(object: StoredObject): string {
  const { status: _status, metadata, ...content } = object as StoredObject & { readonly status?: unknown }
  const { uid: _uid, resourceVersion: _version, generation: _generation, managedFields: _fields, ...written } = metadata
  const { creationTimestamp: _created, ...kept } = written as typeof written & { readonly creationTimestamp?: string }
  const { apiVersion, kind, ...rest } = content
  return stringify({ apiVersion, kind, metadata: kept, ...rest })
}

async function start(): Promise<void> {
  const began = performance.now()
  const cluster = await startCluster(({ message }) => {
    status.textContent = message
  })
  const started = performance.now() - began

  let asked = 0
  /** Asks the server about the text as it is now; an answer to an earlier text is dropped. */
  async function check(): Promise<void> {
    const question = ++asked
    const lines = await write(cluster, true)
    if (question === asked) show(lines)
  }
  const edit = (text: string) => {
    editor.value = text
    void check()
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  editor.oninput = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void check(), 150)
  }
  const apply = async () => {
    clearTimeout(timer)
    asked++
    show(await write(cluster, false))
  }
  element('apply').onclick = () => void apply()
  editor.onkeydown = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void apply()
  }
  for (const [title, text] of Object.entries(samples)) {
    const button = document.createElement('button')
    button.textContent = title
    button.onclick = () => edit(text)
    element('samples').append(button)
  }

  const list = createList(cluster, edit)
  const followed = new Set<string>()
  async function followAll(): Promise<void> {
    for (const resource of await cluster.resources()) {
      const path = pathOf(resource)
      // Events are about objects that are here.
      if (followed.has(path) || resource.plural === 'events') continue
      followed.add(path)
      const seen = list.of(resource)
      const set = (object: StoredObject) => {
        seen.set(object)
        // A definition that is served now has a resource of its own.
        if (resource.plural === 'customresourcedefinitions') void followAll()
      }
      void follow(cluster, resource, { ...seen, set }).then(() => followed.delete(path))
    }
  }
  await followAll()
  edit(samples['Definition'] ?? '')
  setInterval(async () => {
    const revision = await cluster.revision().catch(() => undefined)
    if (revision === undefined) return
    status.textContent =
      `Started in ${started.toFixed(0)} ms · ${list.known.size} objects · revision ${revision} · relaxed durability: writes survive the end of the ` +
      'browser, but the last ones may be lost when the machine loses power'
  }, 500)
  document.body.dataset['ready'] = 'true'
  await navigator.serviceWorker?.register('offline.js')
}

start().catch((error: unknown) => {
  status.textContent = error instanceof Error ? error.message : String(error)
})
