/** Between requests and admission. */
import type { AdmissionAttributes, AdmissionOperation } from '../admission/attributes.ts'
import { Replay } from '../cel/replay.ts'
import type { Slices } from '../cel/run/slices.ts'
import type { WriteRequest } from '../registry/request.ts'
import { type DeleteOptions, deleteOptionsObject } from '../request/delete-options.ts'
import type { WriteOptions } from '../request/options.ts'
import { type ApiObject, apiVersionOf } from '../resources/definition.ts'
import type { JsonObject } from '../schema/model.ts'
import { objectVersions } from './object-versions.ts'
import { hookContext, type Target } from './services.ts'

/** One operation of a request, as it is submitted to the two phases of admission. */
export interface Submission {
  readonly operation: AdmissionOperation
  readonly dryRun: boolean
  /** The time that expressions take from others. */
  slices(): Slices
  /** Resolves to the object that goes on: the one given, changed, or another. */
  mutate(object: ApiObject, old: ApiObject | undefined): Promise<ApiObject>
  /** Both objects as they are stored. Without an object, for a delete, plugins of the mutating phase run first. */
  validate(object: ApiObject | undefined, old: ApiObject | undefined): Promise<void>
}

/** @param options absent for a connect. */
function submit(target: Target, operation: AdmissionOperation, dryRun: boolean, options: JsonObject | undefined): Submission {
  const { exchange, services, resource, view, namespace, name } = target
  const { definition, groupResource } = resource
  const { admission } = services
  // Older versions of a body, which views may take, are not asked for by name.
  const { group, version } = definition
  const shown = (object: ApiObject | undefined) => (object && view.read ? view.read(object) : object)
  let made: Slices | undefined
  const slices = () => {
    made ??= services.turns.slices(() => exchange.signal)
    return made
  }
  const attributes = (object: ApiObject | undefined, oldObject: ApiObject | undefined): AdmissionAttributes => ({
    operation,
    on: groupResource,
    resource: { group, version, resource: groupResource.resource },
    kind: view.body,
    namespaced: definition.namespaced,
    subresource: view.name,
    namespace,
    name: name || (object?.metadata.name ?? ''),
    object,
    oldObject,
    versions: objectVersions(target),
    options,
    user: exchange.user,
    dryRun,
    // Made when somebody asks: few plugins wait.
    get signal() {
      return exchange.signal
    },
    get slices() {
      return slices()
    },
    warn: (text) => exchange.warnings.push(text),
    annotate: (key, value) => exchange.annotations.set(key, value),
  })
  return {
    operation,
    dryRun,
    slices,
    async mutate(object, old) {
      const asked = attributes(object, shown(old))
      await admission.mutate(asked)
      return asked.object ?? object
    },
    async validate(object, old) {
      const asked = attributes(shown(object), shown(old))
      if (object === undefined) await admission.mutate(asked)
      await admission.validate(asked)
    },
  }
}

/** A create or update. */
export function submitWrite(target: Target, operation: 'CREATE' | 'UPDATE', { dryRun, given }: WriteOptions): Submission {
  const kind = operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions'
  return submit(target, operation, dryRun, { kind, apiVersion: target.services.platform.name('meta.<domain>/v1'), ...given })
}

export function submitDelete(target: Target, options: DeleteOptions): Submission {
  const apiVersion = target.services.platform.name('meta.<domain>/v1')
  return submit(target, 'DELETE', options.dryRun, { kind: 'DeleteOptions', apiVersion, ...deleteOptionsObject(options) })
}

/** What the registry needs for a write of this request. */
export function writeRequest({ exchange, services, resource }: Target, { dryRun, slices, validate }: Submission): WriteRequest {
  const { platform, settings, now } = hookContext(services)
  const warn = (text: string) => void exchange.warnings.push(text)
  const replay = new Replay(slices)
  return {
    context: {
      platform,
      settings,
      now,
      user: exchange.user,
      apiVersion: apiVersionOf(resource.definition),
      warn,
      part: (start) => replay.part(start),
    },
    replay,
    dryRun,
    get signal() {
      return exchange.signal
    },
    validateAdmission: validate,
    proceed: () => exchange.proceed(),
    warn,
  }
}
