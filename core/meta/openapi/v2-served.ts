import { append } from '../../common/lists.ts'
import { registeredVersions } from '../../resources/scheme.ts'
import { v2 } from './dialect.ts'
import { corePath, groupPath, groupsPath, namedGroups, otherPath, releasePath, versionPath } from './discovery-paths.ts'
import { registeredKinds } from './kinds.ts'
import { createModelNames, isAsWritten } from './model-names.ts'
import { createModels } from './models.ts'
import type { OpenApiOptions } from './options.ts'
import { resourcePaths } from './resource-paths.ts'
import type { SwaggerSource } from './v2.ts'
import { swaggerDocument } from './v2-document.ts'

/** The Swagger document of the resources that this server serves itself. */
export function createServedSwagger({ served, platform, info, enums, cbor, others, pauses }: OpenApiOptions): SwaggerSource {
  return {
    get revision() {
      return served.revision
    },
    async documents() {
      const names = createModelNames(platform)
      const versions = served.groups().flatMap((group) => group.versions)
      const definitions = versions.flatMap((version) => version.definitions)
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
      const slices = pauses.sharedSlices()
      for (const version of versions) {
        // Custom resources don't publish their discovery paths.
        if (!version.definitions.every(isAsWritten)) paths.push(versionPath(version, platform, models, cbor))
        append(paths, await resourcePaths(version, { platform, models, cbor }, slices))
      }
      return [{ name: platform.component, document: await swaggerDocument(info, paths, models, slices) }]
    },
  }
}
