/** Judges manifests by a server in memory: each object is created or applied there as a client would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { printJson } from '../../../core/schema/json/text.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { taken } from '../../call.ts'
import { checkedKind, groupOf } from './kinds.ts'
import type { Manifest } from './manifests.ts'
import type { JudgingServer } from './server.ts'
import { problemsOf, type Refusal, type Verdict, warningsOf } from './verdict.ts'

/** Milliseconds until controllers have done what later objects depend on. */
const readyTimeout = 10_000
/** Milliseconds between looks at it. */
const readyPause = 5

export interface JudgeOptions {
  /** Of objects that name none. */
  readonly namespace: string
  /** Objects of kinds that the server does not know are skipped; otherwise they are invalid. */
  readonly skipUnknown: boolean
  /** The object that exists where a manifest will be applied; undefined: none. Absent: nothing exists. */
  existing?(path: string): Promise<JsonObject | undefined>
  /** Called for each manifest that the server has judged, with the object as the server has it; undefined: it was refused. */
  judged?(manifest: Manifest, stored: JsonObject | undefined, isUpdate: boolean): Promise<void> | void
  /** Called for each warning; false: it is none for the user. Default: all are. */
  isWarning?(text: string): boolean
}

interface Kind {
  readonly kind: string
  readonly name: string
  readonly namespaced: boolean
}

interface Place {
  readonly collection: string
  /** Undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined
}

interface Answer {
  readonly code: number
  readonly warnings: readonly string[]
  /** A Status, or the object when somebody asks for it. */
  readonly body: JsonObject
}

const json = 'application/json'
const typeOf: { readonly [method in 'POST' | 'PATCH']: string } = { POST: 'application/yaml', PATCH: 'application/apply-patch+yaml' }

/** Other texts are no path of a group and its version. */
const isApiVersion = /^\w[\w.-]*(?:\/\w[\w.-]*)?$/

const rootOf = (apiVersion: string) => `${groupOf(apiVersion) === '' ? '/api' : '/apis'}/${apiVersion}`

const metadataOf = (object: JsonObject) => (object['metadata'] ?? {}) as { name?: string; namespace?: string }

/** Fields of objects in a cluster that a copy of them does not have. */
const ownFields = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
  'ownerReferences',
  'selfLink',
]

/** An object of a cluster as somebody would create it. */
export function copyOf({ status: _, ...object }: JsonObject): JsonObject {
  const metadata = Object.entries((object['metadata'] ?? {}) as JsonObject).filter(([name]) => !ownFields.includes(name))
  const copy = { ...object, metadata: Object.fromEntries(metadata) }
  return checkedKind(String(object['apiVersion']), String(object['kind'])).copied?.(copy) ?? copy
}

const unknownKind = (apiVersion: string, kind: string) =>
  `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`

export class Judge {
  readonly #server: JudgingServer
  readonly #options: JudgeOptions
  readonly #kinds = new Map<string, Promise<readonly Kind[]>>()
  readonly #namespaces = new Set<string>()

  constructor(server: JudgingServer, options: JudgeOptions) {
    this.#server = server
    this.#options = options
  }

  /** Verdicts in the order of the manifests, which are judged in order of dependency: namespaces and definitions first. */
  async judge(manifests: readonly Manifest[], progress: (judged: number) => void = () => {}): Promise<Verdict[]> {
    const verdicts = new Map<Manifest, Verdict>()
    const orderOf = ({ apiVersion, kind }: Manifest) => checkedKind(apiVersion, kind).order
    const orders = [...new Set(manifests.map(orderOf))].sort((a, b) => a - b)
    for (const order of orders) {
      const group = manifests.filter((manifest) => orderOf(manifest) === order)
      for (const manifest of group) {
        verdicts.set(manifest, await this.#verdict(manifest))
        progress(verdicts.size)
      }
      for (const manifest of group) if (verdicts.get(manifest)?.outcome === 'valid') await this.#ready(manifest)
      // There may be new kinds.
      this.#kinds.clear()
    }
    return manifests.map((manifest) => verdicts.get(manifest) as Verdict)
  }

  /** Stores an object that is there without being judged. Resolves to the server's reason when it refuses it. */
  async store(object: JsonObject): Promise<string | undefined> {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string }
    const place = await this.#place(apiVersion, kind, object)
    if (place === undefined) return unknownKind(apiVersion, kind)
    await this.#haveNamespace(place)
    const { code, body } = await this.#send('POST', `${place.collection}?fieldValidation=Ignore`, JSON.stringify(object))
    return code < 300 ? undefined : ((body as Refusal).message ?? '')
  }

  async #verdict(manifest: Manifest): Promise<Verdict> {
    const { apiVersion, kind, object } = manifest
    const place = await this.#place(apiVersion, kind, object)
    if (place === undefined) {
      const message = unknownKind(apiVersion, kind)
      const [outcome, problems] = this.#options.skipUnknown
        ? (['skipped', []] as const)
        : (['invalid', [{ line: manifest.line, message }]] as const)
      return { manifest, outcome, problems, warnings: [] }
    }
    await this.#haveNamespace(place)
    const { name } = metadataOf(object)
    const path = `${place.collection}/${encodeURIComponent(name ?? '')}`
    const existing = name === undefined ? undefined : await this.#options.existing?.(path)
    const why = existing && (await this.store(copyOf(existing)))
    const isThere = existing !== undefined && why === undefined
    const { answer, isUpdate } = await this.#write(manifest, place.collection, path, isThere)
    const warnings = answer.warnings.filter((text) => this.#options.isWarning?.(text) ?? true)
    if (why !== undefined) warnings.unshift(`judged as a new object, because the one in the cluster can't be copied: ${why}`)
    const isRefused = answer.code >= 300
    await this.#options.judged?.(manifest, isRefused ? undefined : answer.body, isUpdate)
    return isRefused
      ? { manifest, outcome: 'invalid', problems: problemsOf(answer.body as Refusal, manifest), warnings }
      : { manifest, outcome: 'valid', problems: [], warnings }
  }

  /** Creates the object, or applies it when there is one of its name. */
  async #write(manifest: Manifest, collection: string, path: string, isThere: boolean): Promise<{ answer: Answer; isUpdate: boolean }> {
    const { object, body } = manifest
    const { isDry, stored } = checkedKind(manifest.apiVersion, manifest.kind)
    const change = stored?.(object) ?? object
    const isChanged = change !== object
    const dry = isDry || isChanged ? '&dryRun=All' : ''
    const query = `fieldValidation=Strict&fieldManager=check${dry}`
    if (!isThere) {
      const created = await this.#create(`${collection}?${query}`, manifest)
      if (created.code < 300 && isChanged) await this.#send('POST', collection, JSON.stringify(change))
      if (created.code !== 409 || (created.body as { reason?: string }).reason !== 'AlreadyExists')
        return { answer: created, isUpdate: false }
    }
    return { answer: await this.#send('PATCH', `${path}?force=true&${query}`, body), isUpdate: true }
  }

  /** Sends what has been read; when that is refused, what is written, whose text messages may show. */
  async #create(target: string, { object, body, isRepeating }: Manifest): Promise<Answer> {
    const answer = isRepeating ? undefined : await this.#send('POST', target, printJson(object), json)
    return answer && (answer.code < 300 || answer.code === 409) ? answer : this.#send('POST', target, body)
  }

  async #ready({ apiVersion, kind, object }: Manifest): Promise<void> {
    const { ready } = checkedKind(apiVersion, kind)
    if (ready === undefined) return
    const place = (await this.#place(apiVersion, kind, object)) as Place
    const path = `${place.collection}/${metadataOf(object).name}`
    for (const end = performance.now() + readyTimeout; performance.now() < end; await sleep(readyPause)) {
      const response = await this.#get(path)
      if (!response.ok || ready((await response.json()) as JsonObject)) return
    }
  }

  async #place(apiVersion: string, kind: string, object: JsonObject): Promise<Place | undefined> {
    const kinds = await this.#kindsOf(apiVersion)
    const found = kinds.find((each) => each.kind === kind && !each.name.includes('/'))
    if (found === undefined) return undefined
    const { namespace = this.#options.namespace } = metadataOf(object)
    const within = found.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : ''
    const collection = `${rootOf(apiVersion)}${within}/${found.name}`
    return { collection, namespace: found.namespaced ? namespace : undefined }
  }

  #kindsOf(apiVersion: string): Promise<readonly Kind[]> {
    const found = this.#kinds.get(apiVersion) ?? this.#discover(apiVersion)
    this.#kinds.set(apiVersion, found)
    return found
  }

  async #discover(apiVersion: string): Promise<readonly Kind[]> {
    if (!isApiVersion.test(apiVersion)) return []
    const response = await this.#get(rootOf(apiVersion))
    return response.ok ? ((await response.json()) as { resources: Kind[] }).resources : []
  }

  /** Namespaces that no manifest makes are there already: a release is usually installed into one. */
  async #haveNamespace({ namespace }: Place): Promise<void> {
    if (namespace === undefined || this.#namespaces.has(namespace)) return
    this.#namespaces.add(namespace)
    const existing = await this.#options.existing?.(`/api/v1/namespaces/${encodeURIComponent(namespace)}`)
    const object = existing === undefined ? { metadata: { name: namespace } } : copyOf(existing)
    await this.#send('POST', '/api/v1/namespaces', JSON.stringify(object))
  }

  #get(target: string): Promise<Response> {
    return this.#server.send({ method: 'GET', target, headers: ['accept', json] })
  }

  async #send(method: 'POST' | 'PATCH', target: string, body: string, type = typeOf[method]): Promise<Answer> {
    const response = await this.#server.send({ method, target, headers: ['content-type', type, 'accept', json], body })
    const warnings = warningsOf(response.headers.get('warning'))
    const isWanted = !response.ok || this.#options.judged !== undefined
    const answer = isWanted ? ((await response.json()) as JsonObject) : {}
    if (!isWanted) taken(response)
    return { code: response.status, warnings, body: answer }
  }
}
