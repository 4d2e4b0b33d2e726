import type { CelEnvironment } from '../../cel/environment.ts'
import { conditionEnvironment } from '../../resources/admissionregistration/expressions.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { Candidates } from '../matching/candidates.ts'
import { concerns } from '../matching/rules.ts'
import { type Hook, hooksOf } from './hook.ts'
import { isExempt } from './invoke.ts'

/** A webhook with its position in the phase. */
export interface PlacedHook extends Hook {
  readonly place: number
}

export interface HookSource {
  /** Webhooks of the phase that may match the request, ordered by configuration name. */
  about(attributes: AdmissionAttributes): readonly PlacedHook[]
  close(): void
}

/** Follows the configurations of one phase and compiles them when they change. Resolves after the initial list. */
export async function followHooks({ follow, platform }: Pick<PluginContext, 'follow' | 'platform'>, plural: string): Promise<HookSource> {
  const byKey = new Map<string, readonly Hook[]>()
  const exempt = isExempt(platform)
  let all: Candidates<PlacedHook> | undefined
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
  function inOrder(): PlacedHook[] {
    const hooks = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, own]) => own)
    return hooks.map((hook, place) => ({ ...hook, place }))
  }
  await following.ready
  return {
    about(attributes) {
      all ??= new Candidates(inOrder(), ({ rules, equivalent }, each) => !exempt(each.groupResource) && concerns(rules, equivalent, each))
      return all.of(attributes)
    },
    close: () => following.close(),
  }
}
