import { covers, parseAccept } from '../../request/accept.ts'
import { Reply } from '../../respond/reply.ts'
import { type BuildDocument, lazyBytes, lazyDocument, pause, respondWith } from '../document.ts'
import type { FixedRequest } from '../fixed-request.ts'
import { groupServed, perRevision } from '../served.ts'
import { v2 } from './dialect.ts'
import { corePath, groupPath, groupsPath, namedGroups, otherPath, releasePath, versionPath } from './discovery-paths.ts'
import { registeredKinds, registeredVersions } from './kinds.ts'
import { encodeDocument } from './message-protobuf.ts'
import { createModelNames, isAsWritten } from './model-names.ts'
import { createModels } from './models.ts'
import type { OpenApiOptions } from './options.ts'
import { resourcePaths } from './resource-paths.ts'
import { swaggerDocument } from './v2-document.ts'
import { v2Messages } from './v2-messages.ts'

export interface OpenApiV2 {
  /** Answers GET on `/openapi/v2`; undefined for other paths. */
  respond(request: FixedRequest): Promise<Response> | undefined
}

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
/** Accepted and sent media types. The one with `@` is not a valid media type, but old clients send only that. */
const mediaTypes = [
  { accepts: 'application/json', sends: 'application/json', format: 'json' },
  { accepts: protobuf, sends: protobuf, format: 'protobuf' },
  { accepts: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', sends: protobuf, format: 'protobuf' },
] as const

/** Number of group versions written between yields. */
const versionsAtOnce = 8

/** One Swagger 2.0 document of all groups, as JSON and protobuf, built on first use. */
export function createOpenApiV2({ served, platform, info, enums, others }: Omit<OpenApiOptions, 'clock'>): OpenApiV2 {
  const documents = perRevision(served, (definitions): { readonly json: BuildDocument; readonly protobuf: BuildDocument } => {
    const build = async () => {
      const names = createModelNames(platform)
      const groups = groupServed(definitions, platform)
      const versions = groups.flatMap((group) => group.versions)
      const models = createModels({ ...v2, enums }, names, registeredKinds(definitions, registeredVersions(platform), names))
      const paths = [
        corePath(platform, models),
        groupsPath(platform, models),
        releasePath(models),
        ...Object.entries(others).map(([path, other]) => otherPath(path, other)),
        ...[...namedGroups(definitions.filter((definition) => !isAsWritten(definition)))].map((group) =>
          groupPath(group, platform, models),
        ),
      ]
      for (const [index, version] of versions.entries()) {
        // Custom resources don't publish their discovery paths.
        if (!version.definitions.every(isAsWritten)) paths.push(versionPath(version, platform, models))
        paths.push(...resourcePaths(version, { platform, models }))
        // With a thousand custom resources this takes seconds; other requests run in between.
        if (index % versionsAtOnce === versionsAtOnce - 1) await pause()
      }
      return swaggerDocument(info, paths, models)
    }
    return { json: lazyDocument(build), protobuf: lazyBytes(async () => encodeDocument(v2Messages, await build())) }
  })

  const respond = async (request: Request): Promise<Response> => {
    for (const range of parseAccept(request.headers.get('Accept'))) {
      const type = mediaTypes.find(({ accepts }) => covers(range, accepts))
      if (type) return respondWith(request, await documents()[type.format](), { 'Content-Type': type.sends }, true)
    }
    return new Reply(null, { status: 406, headers: { Vary: 'Accept' } })
  }

  return { respond: ({ request, path }) => (path === '/openapi/v2' ? respond(request) : undefined) }
}
