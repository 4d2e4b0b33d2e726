/** Reads webhooks or policies from the files of a folder (KEP-5793; apiserver pkg/admission/plugin/manifest and the loaders beside it). */

import { ApiError } from '../../answers/status.ts'
import { validateCreate } from '../../objects/registry/validation.ts'
import type { Platform } from '../../platform.ts'
import type { Files } from '../../ports.ts'
import { parseYaml } from '../../request/yaml.ts'
import { staticSuffix } from '../../resources/admissionregistration/static-name.ts'
import { bind } from '../../resources/bind.ts'
import type { ApiObject, ResourceDefinition } from '../../resources/definition.ts'
import { builtInResources } from '../../resources/group-versions.ts'
import { decode } from '../../schema/decode.ts'
import { applyDefaults } from '../../schema/defaults.ts'
import { digestOfBytes } from '../../schema/formats/digest.ts'
import { isObject } from '../../schema/json/is-object.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { HookContext, Json, JsonObject } from '../../schema/model.ts'
import { type KindRule, type ManifestPlugin, manifestKinds } from './kinds.ts'

/** Objects of a folder, valid and with their defaults. */
export interface Manifests {
  /** By plural, sorted by name. */
  readonly objects: { readonly [plural: string]: readonly ApiObject[] }
  /** Digest of all files; empty if none has content. */
  readonly hash: string
  /** Paths of the files that were read. */
  readonly files: readonly string[]
}

/** A folder of manifests, which can be read again. */
export interface ManifestFolder {
  readonly directory: string
  /** What was read at the start. */
  readonly initial: Manifests
  /** Rejects with an Error that names file and object. */
  load(): Promise<Manifests>
}

export interface ManifestContext {
  readonly files: Files
  readonly platform: Platform
  /** Whether a feature gate is on. */
  enabled(gate: string): boolean
}

const group = 'admissionregistration.<domain>'
const decoder = new TextDecoder()

/** Reads a folder for a plugin. Rejects with an Error when anything in it is invalid. */
export async function openManifests(directory: string, plugin: ManifestPlugin, context: ManifestContext): Promise<ManifestFolder> {
  const load = () => loadManifests(directory, plugin, context)
  return { directory, load, initial: await load() }
}

async function loadManifests(directory: string, plugin: ManifestPlugin, context: ManifestContext): Promise<Manifests> {
  const { files } = context
  if (files.list === undefined) throw new Error('this runtime can not list the files of a folder')
  const paths = (await files.list(directory))
    .filter((name) => /\.(ya?ml|json)$/i.test(name))
    .sort()
    .map((name) => `${directory}/${name}`)
  const reader = new ManifestReader(plugin, context)
  const contents: Uint8Array<ArrayBuffer>[] = []
  for (const path of paths) {
    const bytes = new Uint8Array(await files.read(path))
    if (bytes.length === 0) continue
    contents.push(bytes, new Uint8Array(1))
    try {
      for (const text of documents(decoder.decode(bytes))) reader.document(text, path)
    } catch (error) {
      throw new Error(`error loading ${path}: ${messageOf(error)}`)
    }
  }
  const hash = contents.length === 0 ? '' : `sha256:${await digestOfBytes(new Uint8Array(await new Blob(contents).arrayBuffer()))}`
  return { objects: reader.objects(), hash, files: paths }
}

/** The documents of a YAML stream that are not empty. */
const documents = (text: string) => text.split(/^---.*$/m).filter((each) => each.trim() !== '')

/** Collects the objects of all files. */
class ManifestReader {
  readonly #kinds: readonly KindRule[]
  readonly #context: ManifestContext
  readonly #hooks: HookContext
  readonly #found: Map<string, { readonly object: ApiObject; readonly file: string }[]>

  constructor(plugin: ManifestPlugin, context: ManifestContext) {
    this.#kinds = manifestKinds[plugin]
    this.#context = context
    this.#found = new Map(this.#kinds.map(({ plural }) => [plural, []]))
    // The names of these objects are those that the API refuses.
    const enabled = (gate: string) => gate !== 'ManifestBasedAdmissionControlConfig' && context.enabled(gate)
    this.#hooks = { platform: context.platform, now: 0, settings: { allowPrivileged: false, garbageCollection: false, enabled } }
  }

  document(text: string, file: string): void {
    const { value, duplicates } = parseYaml(new TextEncoder().encode(text), { duplicates: true })
    if (duplicates.length > 0) throw new Error(`strict decoding error: yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`)
    this.#value(value, file)
  }

  #value(value: Json, file: string): void {
    const { kind, apiVersion } = isObject(value) ? value : {}
    if (typeof kind !== 'string' || kind === '') throw new Error(`Object 'Kind' is missing in '${JSON.stringify(value)}'`)
    const version = this.#context.platform.name(`${group}/v1`)
    const items = (value as JsonObject)['items']
    const list = apiVersion === 'v1' && kind === 'List'
    const rule = this.#kinds.find((each) => apiVersion === version && (each.kind === kind || `${each.kind}List` === kind))
    if (list || (rule && rule.kind !== kind)) {
      for (const item of Array.isArray(items) ? items : []) {
        if (rule) this.#accept(rule, { ...(item as JsonObject), kind: rule.kind, apiVersion: version }, file)
        else this.#value(item, file)
      }
    } else if (rule) this.#accept(rule, value as JsonObject, file)
    else throw new Error(this.#unsupported(kind, String(apiVersion ?? '')))
  }

  #unsupported(kind: string, apiVersion: string): string {
    const { platform } = this.#context
    const of = (each: ResourceDefinition) =>
      `${platform.name(each.group)}/${each.version}` === apiVersion && kind.replace(/List$/, '') === each.kind
    const isKnown = builtInResources.some((each) => each.group === group && of(each))
    if (isKnown) return `unsupported resource type *${apiVersion.split('/')[1]}.${kind}`
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`
  }

  /** Decodes an object, fills its defaults, and validates it. */
  #accept(rule: KindRule, value: JsonObject, file: string): void {
    const { platform } = this.#context
    const definition = builtInResources.find((each) => each.group === group && each.version === 'v1' && each.kind === rule.kind)
    if (definition === undefined) throw new Error(`unsupported resource type *v1.${rule.kind}`)
    const decoded = decode(definition.schema, value, { root: true })
    if (decoded.unknown.length > 0)
      throw new Error(`strict decoding error: ${decoded.unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ')}`)
    const object = decoded.value as unknown as ApiObject
    object.metadata ??= {}
    applyDefaults(definition.schema, object as Json, this.#hooks)
    this.#validate(rule, bind(definition, platform), object)
    this.#name(rule, object, file)
    rule.check(object, staticSuffix(platform), file)
    this.#found.get(rule.plural)?.push({ object, file })
  }

  #validate({ kind }: KindRule, definition: ResourceDefinition, object: ApiObject): void {
    try {
      validateCreate(definition, object, this.#hooks)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const causes = (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
      const text = causes.length === 1 ? causes[0] : `[${causes.join(', ')}]`
      throw new Error(`${kind} ${JSON.stringify(object.metadata.name ?? '')}: ${text}`)
    }
  }

  #name({ plural }: KindRule, { metadata: { name = '' } }: ApiObject, file: string): void {
    const suffix = staticSuffix(this.#context.platform)
    const [shown, path] = [JSON.stringify(name), JSON.stringify(file)]
    if (!name.endsWith(suffix)) throw new Error(`${shown} in file ${path} must have a name ending with ${JSON.stringify(suffix)}`)
    const other = this.#found.get(plural)?.find(({ object }) => object.metadata.name === name)
    if (other) throw new Error(`duplicate name ${shown} found in file ${path} (previously seen in ${JSON.stringify(other.file)})`)
  }

  /** Throws an Error for a binding without its policy. */
  objects(): Manifests['objects'] {
    const sorted = [...this.#found].map(([plural, found]) => [plural, found.map(({ object }) => object).sort(byName)] as const)
    const objects = Object.fromEntries(sorted)
    for (const { plural, refersTo } of this.#kinds) {
      if (refersTo === undefined) continue
      const known = new Set(objects[refersTo]?.map(({ metadata }) => metadata.name))
      for (const { metadata, spec } of objects[plural] ?? []) {
        const { policyName = '' } = spec as { policyName?: string }
        if (known.has(policyName)) continue
        const [binding, policy] = [metadata.name, policyName].map((each) => JSON.stringify(each))
        throw new Error(`binding ${binding} references policy ${policy} which does not exist in the manifest directory`)
      }
    }
    return objects
  }
}

const byName = ({ metadata: { name: a = '' } }: ApiObject, { metadata: { name: b = '' } }: ApiObject) => (a < b ? -1 : 1)
