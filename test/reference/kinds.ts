/** The kinds that both servers serve without `--runtime-config`. */
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import type { ResourceDefinition } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import type { Message } from '../../core/schema/model.ts'

const platform = createPlatform('kubernetes')

const all = builtInResources.map((definition) => bind(definition, platform))
const served = all.filter(({ servedByDefault }) => servedByDefault)

/** Kinds with stored objects, in every served version. */
export const storedKinds: readonly ResourceDefinition[] = served.filter(
  ({ storageKey, verbs }) => storageKey !== '' && verbs.includes('create'),
)

/** Kinds with stored objects, also in versions that are only served with `--runtime-config=api/all=true`. */
export const allStoredKinds: readonly ResourceDefinition[] = all.filter(
  ({ storageKey, verbs }) => storageKey !== '' && verbs.includes('create'),
)

/** Kinds that are only answered, such as reviews. */
export const answeredKinds: readonly ResourceDefinition[] = served.filter(({ storageKey }) => storageKey === '')

/** Such as `deployments.apps/v1`, or `pods` in the core group. */
export const titleOf = ({ names, group, version }: ResourceDefinition) =>
  group === '' ? names.plural : `${names.plural}.${group}/${version}`

/** Schemas of all kinds, also of those of subresources, by `group.version.Kind` (`core.v1.Pod`). */
export function schemasByTitle(): ReadonlyMap<string, Message> {
  const byTitle = new Map<string, Message>()
  for (const { group, version, kind, schema, subresources } of builtInResources) {
    const title = (...[itsGroup, itsVersion, itsKind]: readonly [string, string, string]) =>
      `${platform.name(itsGroup) || 'core'}.${itsVersion}.${itsKind}`
    byTitle.set(title(group, version, kind), schema)
    for (const sub of subresources) byTitle.set(title(sub.group ?? group, sub.version ?? version, sub.kind), sub.schema)
  }
  return byTitle
}
