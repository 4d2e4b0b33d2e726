import type { Pauses, Slices } from '../../common/slices.ts'
import type { ResourceDefinition } from '../../resources/definition.ts'
import { sameItems } from '../../schema/json/equal.ts'
import type { JsonObject } from '../../schema/model.ts'
import { type BuildDocument, lazyDocument, lazyEncoding } from '../document.ts'
import { perRevision } from '../group-source.ts'
import type { ServedVersion } from '../served.ts'
import { bearerToken, v3 } from './dialect.ts'
import { corePath, groupPath, groupsPath, namedGroups, otherPath, releasePath, versionPath } from './discovery-paths.ts'
import { clientVersions, type Kinds, registeredKinds } from './kinds.ts'
import { encodeInSlices } from './message-protobuf.ts'
import { createModelNames, isAsWritten, type ModelNames } from './model-names.ts'
import { createModels, type Models } from './models.ts'
import type { PathItem } from './operations.ts'
import type { ApiInfo, OpenApiOptions } from './options.ts'
import { resourcePaths } from './resource-paths.ts'
import { openApiDocument } from './v3-document.ts'
import { v3Messages } from './v3-messages.ts'

/** One document; both encodings have the same ETag. */
export interface DocumentForms {
  readonly json: BuildDocument
  readonly protobuf: BuildDocument
}

/** A document that is built on first use. `maxBytes`: of its JSON. */
export function formsOf(build: () => Promise<JsonObject>, pauses: Pauses, maxBytes?: number): DocumentForms {
  const json = lazyDocument(build, pauses, maxBytes)
  return { json, protobuf: lazyEncoding(json, async () => encodeInSlices(v3Messages, await build(), pauses.sharedSlices())) }
}

/** The documents of a table revision by name, such as `apis/apps/v1`. */
type Documents = ReadonlyMap<string, DocumentForms>

const core = { group: '', version: 'v1' }

/** What a document is made of. */
interface Contents {
  readonly info: ApiInfo
  /** The kinds of its models. */
  kinds(names: ModelNames): Kinds
  paths(models: Models, slices: Slices): readonly PathItem[] | Promise<readonly PathItem[]>
  readonly security?: JsonObject
}

/** Documents of unchanged group versions are reused. */
export function createDocuments({ served, platform, info, enums, cbor, others, pauses }: OpenApiOptions): () => Documents {
  let known: ModelNames | undefined
  const modelNames = () => {
    known ??= createModelNames(platform)
    return known
  }

  let kept = new Map<string, { readonly definitions: readonly ResourceDefinition[]; readonly forms: DocumentForms }>()

  const document = ({ info, kinds, paths, security }: Contents): DocumentForms =>
    formsOf(async () => {
      const slices = pauses.sharedSlices()
      const names = modelNames()
      const models = createModels({ ...v3, enums }, names, kinds(names))
      return openApiDocument(info, await paths(models, slices), models, security, slices)
    }, pauses)

  /** A document about fixed paths. */
  const fixed = (paths: (models: Models) => readonly PathItem[]) =>
    document({ info, kinds: (names) => registeredKinds([], [core], names), paths, security: bearerToken.v3 })

  const builtInVersion = (version: ServedVersion, all: readonly ResourceDefinition[]): Contents => ({
    info,
    kinds: (names) => registeredKinds(all, [core, version], names),
    paths: async (models, slices) => [
      versionPath(version, platform, models, cbor),
      ...(await resourcePaths(version, { platform, models, cbor }, slices)),
    ],
    security: bearerToken.v3,
  })

  /** Custom resources have neither discovery paths nor a security scheme, in the reference as here. */
  const customVersion = (version: ServedVersion): Contents => ({
    info: { title: `${platform.title} CRD Swagger`, version: 'v0.1.0' },
    kinds: (names) => registeredKinds(version.definitions, clientVersions(platform), names),
    paths: (models, slices) => resourcePaths(version, { platform, models, cbor }, slices),
  })

  const ofVersion = (version: ServedVersion, builtIn: readonly ResourceDefinition[]) => {
    const known = kept.get(version.path)
    if (known && sameItems(known.definitions, version.definitions)) return known
    const contents = version.definitions.every(isAsWritten) ? customVersion(version) : builtInVersion(version, builtIn)
    return { definitions: version.definitions, forms: document(contents) }
  }

  return perRevision([served], () => {
    const groups = served.groups()
    const builtIn = groups
      .flatMap(({ versions }) => versions.flatMap(({ definitions }) => definitions))
      .filter((definition) => !isAsWritten(definition))
    kept = new Map(groups.flatMap(({ versions }) => versions.map((version) => [version.path, ofVersion(version, builtIn)] as const)))
    return new Map([
      ['api', fixed((models) => [corePath(platform, models)])],
      ['apis', fixed((models) => [groupsPath(platform, models)])],
      ['version', fixed((models) => [releasePath(models)])],
      ...Object.entries(others).map(([path, other]) => [path.slice(1), fixed(() => [otherPath(path, other)])] as const),
      ...[...namedGroups(builtIn)].map((group) => [`apis/${group}`, fixed((models) => [groupPath(group, platform, models)])] as const),
      ...[...kept].map(([path, { forms }]) => [path.slice(1), forms] as const),
    ])
  })
}
