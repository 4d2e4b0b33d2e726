/** Connects requests to admission. */
import { addAnnotation } from '../admission/annotations.ts'
import type {
  AdmissionAttributes,
  AdmissionOperation,
  AnnotationLevel,
  GroupVersionKind,
  GroupVersionResource,
  ObjectVersions,
} from '../admission/attributes.ts'
import type { GroupResource } from '../answers/status.ts'
import { Replay } from '../cel/replay.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import type { Slices } from '../common/slices.ts'
import { type Check, Preconditions } from '../objects/registry/preconditions.ts'
import type { WriteRequest } from '../objects/registry/request.ts'
import type { Span } from '../ports.ts'
import { type DeleteOptions, deleteOptionsObject } from '../request/delete-options.ts'
import type { User } from '../request/exchange.ts'
import type { WriteOptions } from '../request/options.ts'
import { type ApiObject, apiVersionOf } from '../resources/definition.ts'
import { hookContext } from '../schema/cluster.ts'
import type { HookContext, JsonObject } from '../schema/model.ts'
import { objectVersions } from './object-versions.ts'
import type { Target, WriteServices } from './services.ts'

/** One operation of a request, for both phases of admission. */
export interface Submission {
  readonly operation: AdmissionOperation
  readonly dryRun: boolean
  /** Time slices, for CEL evaluation and between the stages of the request. */
  readonly slices: Slices
  /** What admission relied on. */
  readonly preconditions: Preconditions
  /** Adds a cluster-scoped object, checked at this revision, to `preconditions`. Groups are written with placeholders. */
  requireUnchanged(on: GroupResource, name: string, revision: number, check: Check): void
  /** Runs mutating admission; returns the resulting object, which may be the given one, changed. `isStamped`: see AdmissionAttributes. */
  mutate(object: ApiObject, old: ApiObject | undefined, isStamped?: boolean): MaybePromise<ApiObject>
  /** Runs validating admission on objects in their stored form. Without an object (delete), mutating plugins run first. */
  validate(object: ApiObject | undefined, old: ApiObject | undefined): MaybePromise<void>
  /** Finds errors that are listed with those of validation; undefined for resources without such. */
  readonly findErrors: WriteRequest['findErrors']
}

/** Admission attributes. A class, because an object literal with getters would create a hidden class per request. */
class RequestAttributes implements AdmissionAttributes {
  readonly operation: AdmissionOperation
  readonly groupResource: GroupResource
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  readonly namespaced: boolean
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  object: ApiObject | undefined
  isStamped = false
  readonly oldObject: ApiObject | undefined
  readonly options: JsonObject | undefined
  readonly user: User
  readonly dryRun: boolean
  readonly #target: Target
  readonly #asks: Asks

  constructor(target: Target, asks: Asks, object: ApiObject | undefined, oldObject: ApiObject | undefined) {
    const { exchange, resource, view, namespace, name } = target
    const { definition, groupResource } = resource
    this.operation = asks.operation
    this.groupResource = groupResource
    // A view may accept older versions of its body; the attributes name the current one.
    this.resource = { group: definition.group, version: definition.version, resource: groupResource.resource }
    this.kind = view.body
    this.namespaced = definition.namespaced
    this.subresource = view.name
    this.namespace = namespace
    this.name = name || (object?.metadata?.name ?? '')
    this.object = object
    this.oldObject = oldObject
    this.options = asks.options
    this.user = exchange.user
    this.dryRun = asks.dryRun
    this.#target = target
    this.#asks = asks
  }

  get verb(): string {
    return this.#target.exchange.info.verb
  }

  get versions(): ObjectVersions {
    return objectVersions(this.#asks.writes, this.#target)
  }

  /** Created on first use: few plugins do I/O. */
  get signal(): AbortSignal {
    return this.#target.exchange.signal
  }

  get deadline(): number | undefined {
    return this.#target.exchange.deadline
  }

  get span(): Span | undefined {
    return this.#target.exchange.span
  }

  get slices(): Slices {
    return this.#asks.slices
  }

  requireUnchanged(on: GroupResource, found: ApiObject, check: Check): void {
    const { name = '', resourceVersion } = found.metadata
    this.#asks.requireUnchanged(on, name, Number(resourceVersion), check)
  }

  waited(milliseconds: number): void {
    this.#target.exchange.waited += milliseconds
  }

  warn(text: string): void {
    this.#target.exchange.warnings.push(text)
  }

  annotate(key: string, value: string, level: AnnotationLevel = 'Metadata'): void {
    const { annotations, requestAnnotations } = this.#target.exchange
    addAnnotation(level === 'Request' ? requestAnnotations : annotations, key, value)
  }
}

interface Asks {
  readonly writes: WriteServices
  readonly operation: AdmissionOperation
  readonly dryRun: boolean
  /** Absent for a connect. */
  readonly options: JsonObject | undefined
  readonly slices: Slices
  requireUnchanged: Submission['requireUnchanged']
}

/** @param options absent for a connect. */
function submit(
  writes: WriteServices,
  target: Target,
  operation: AdmissionOperation,
  dryRun: boolean,
  options: JsonObject | undefined,
): Submission {
  const { exchange, view } = target
  const { admission, table, platform } = writes
  const shown = (object: ApiObject | undefined) => (object && view.read ? view.read(object) : object)
  const { slices } = exchange
  const preconditions = new Preconditions()
  const requireUnchanged: Submission['requireUnchanged'] = ({ group, resource }, name, revision, check) => {
    const store = table.storeOf(platform.name(group), resource)
    if (store) preconditions.add(store, name, revision, check)
  }
  const asks: Asks = { writes, operation, dryRun, options, slices, requireUnchanged }
  const finder = admission.finderOf(target.resource.groupResource)
  return {
    operation,
    dryRun,
    slices,
    preconditions,
    requireUnchanged,
    mutate(object, old, isStamped = false) {
      const asked = new RequestAttributes(target, asks, object, shown(old))
      asked.isStamped = isStamped
      return then(admission.mutate(asked), () => asked.object ?? object)
    },
    validate(object, old) {
      const asked = new RequestAttributes(target, asks, shown(object), shown(old))
      return object === undefined ? then(admission.mutate(asked), () => admission.validate(asked)) : admission.validate(asked)
    },
    findErrors: finder && ((object, old) => finder(new RequestAttributes(target, asks, shown(object), shown(old)))),
  }
}

/** A create or update. */
export function submitWrite(
  writes: WriteServices,
  target: Target,
  operation: 'CREATE' | 'UPDATE',
  { dryRun, given }: WriteOptions,
): Submission {
  const kind = operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions'
  return submit(writes, target, operation, dryRun, { kind, apiVersion: writes.platform.name('meta.<domain>/v1'), ...given })
}

/** A connect request; its object is its options. */
export const submitConnect = (writes: WriteServices, target: Target): Submission => submit(writes, target, 'CONNECT', false, undefined)

export function submitDelete(writes: WriteServices, target: Target, options: DeleteOptions): Submission {
  const apiVersion = writes.platform.name('meta.<domain>/v1')
  return submit(writes, target, 'DELETE', options.dryRun, { kind: 'DeleteOptions', apiVersion, ...deleteOptionsObject(options) })
}

/** Creates the registry's view of a write request. */
export function writeRequest(writes: WriteServices, { exchange, resource }: Target, submission: Submission): WriteRequest {
  const { dryRun, slices, validate, findErrors, preconditions } = submission
  const { platform, settings, now } = hookContext(writes)
  const { rules } = writes
  const warn = (text: string) => void exchange.warnings.push(text)
  const replay = new Replay(slices)
  const part: HookContext['part'] = (start) => replay.part(start)
  return {
    context: { platform, settings, now, user: exchange.user, apiVersion: apiVersionOf(resource.definition), warn, part, rules },
    dryRun,
    validateAdmission: validate,
    findErrors,
    replay,
    slices,
    preconditions,
    caller: exchange,
    proceed: () => exchange.proceed(),
    warn,
  }
}
