import type { CelEnvironment } from '../../cel/environment.ts'
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { conditionEnvironment } from '../../resources/admissionregistration/expressions.ts'
import type { AdmissionAttributes } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { followManifests } from '../manifest/follow.ts'
import { Candidates } from '../matching/candidates.ts'
import { concerns } from '../matching/rules.ts'
import { type Hook, hooksOf } from './hook.ts'
import { isExempt } from './invoke.ts'

/** A webhook with its position in the phase. */
export interface PlacedHook extends Hook {
  readonly place: number
  /** From a manifest: it is called for webhook configurations and policies, too, because they can't change it. */
  readonly isStatic: boolean
}

/** The configurations of a phase: their plural, and the plugin with its folder of manifests. */
export interface HookPhase {
  readonly plugin: 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook'
  readonly plural: string
}

export interface HookSource {
  /** Resolves after the initial list. */
  readonly ready: MaybePromise<unknown>
  /** Webhooks of the phase that may match the request: those from manifests first, both ordered by configuration name. */
  about(attributes: AdmissionAttributes): readonly PlacedHook[]
  close(): void
}

/** Follows the configurations of one phase and compiles them when they change. */
export function followHooks(context: PluginContext, { plugin, plural }: HookPhase): HookSource {
  const { follow, platform, configuration } = context
  const byKey = new Map<string, readonly Hook[]>()
  const exempt = isExempt(platform)
  let all: Candidates<PlacedHook> | undefined
  let environment: CelEnvironment | undefined
  const compiled = () => (environment ??= conditionEnvironment())
  let fixed: readonly Hook[] = []
  const unfollow = followManifests(plugin, configuration[plugin]?.manifests, context, (objects) => {
    const hooks = (objects[plural] ?? []).flatMap((object) => hooksOf(object, compiled))
    fixed = hooks.map((hook) => ({ ...hook, id: `manifest/${hook.id}` }))
    all = undefined
  })
  const following = follow('admissionregistration.<domain>', plural, {
    upsert({ key, object }) {
      byKey.set(key, hooksOf(object, compiled))
      all = undefined
    },
    remove({ key }) {
      byKey.delete(key)
      all = undefined
    },
  })
  function inOrder(): PlacedHook[] {
    const hooks = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, own]) => own)
    return [...fixed, ...hooks].map((hook, place) => ({ ...hook, place, isStatic: place < fixed.length }))
  }
  return {
    ready: following.ready,
    about(attributes) {
      all ??= new Candidates(
        inOrder(),
        ({ rules, equivalent, isStatic }, each) => (isStatic || !exempt(each.groupResource)) && concerns(rules, equivalent, each),
      )
      return all.of(attributes)
    },
    close() {
      unfollow()
      following.close()
    },
  }
}
