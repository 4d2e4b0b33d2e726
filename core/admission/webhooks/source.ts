import type { CelEnvironment } from '../../cel/environment.ts'
import { conditionEnvironment } from '../../resources/admissionregistration/expressions.ts'
import type { PluginContext } from '../context.ts'
import { type Hook, hooksOf } from './hook.ts'

export interface HookSource {
  /** All webhooks of the phase: configurations by name, each with its own order. */
  readonly hooks: readonly Hook[]
  close(): void
}

/** Follows the configurations of one phase; what they say is compiled when they change. Resolves once it knows those that there are. */
export async function followHooks({ follow }: Pick<PluginContext, 'follow'>, plural: string): Promise<HookSource> {
  const byKey = new Map<string, readonly Hook[]>()
  let all: readonly Hook[] | undefined
  let environment: CelEnvironment | undefined
  const following = follow('admissionregistration.<domain>', plural, {
    upsert(key, object) {
      byKey.set(
        key,
        hooksOf(object, () => (environment ??= conditionEnvironment())),
      )
      all = undefined
    },
    remove(key) {
      byKey.delete(key)
      all = undefined
    },
  })
  await following.ready
  return {
    get hooks() {
      all ??= [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, hooks]) => hooks)
      return all
    },
    close: () => following.close(),
  }
}
