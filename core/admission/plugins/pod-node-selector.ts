/** Merges the namespace's node selector into pods, within the allowed labels (plugin/pkg/admission/podnodeselector). */
import { forbidden, notFound, unreasoned } from '../../answers/status.ts'
import { formats } from '../../schema/formats/formats.ts'
import { quote } from '../../schema/go/quote.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, specOf } from './about.ts'

type Labels = { readonly [key: string]: string }

function validate(at: string, value: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${at}: Invalid value: ${quote(value)}: ${problems.join('; ')}`)
}

/** Parses `a=b,c=d`. @throws Error with the reason, in the words of labels.ConvertSelectorToLabelsMap. */
export function parseNodeSelector(text: string): Labels {
  if (text === '') return {}
  const pairs = text.split(',').map((pair) => {
    const parts = pair.split('=')
    if (parts.length !== 2) throw new Error(`invalid selector: [${parts.join(' ')}]`)
    const [key = '', value = ''] = parts.map((part) => part.trim())
    validate('<nil>', key, formats.labelKey(key))
    validate(`[${key}]`, value, formats.labelValue(value))
    return [key, value] as const
  })
  return Object.fromEntries(pairs)
}

const conflicts = (a: Labels, b: Labels) => Object.keys(a).some((key) => b[key] !== undefined && b[key] !== a[key])
const isWithin = (labels: Labels, allowed: Labels) => Object.entries(labels).every(([key, value]) => allowed[key] === value)

const byDefault = 'clusterDefaultNodeSelector'

export function podNodeSelector({ platform, find, configuration }: PluginContext): AdmissionPlugin {
  const selectors = configuration.PodNodeSelector?.selectors ?? {}
  const annotation = platform.name('scheduler.alpha.<labels>/node-selector')
  const selectorFor = (name: string): Labels => (Object.hasOwn(selectors, name) ? (selectors[name] ?? {}) : {})

  async function ofNamespace(attributes: AdmissionAttributes): Promise<Labels> {
    const namespace = await find('', 'namespaces', '', attributes.namespace, attributes)
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, attributes.namespace)
    const text = namespace.metadata.annotations?.[annotation]
    if (text === undefined) return selectorFor(byDefault)
    try {
      return parseNodeSelector(text)
    } catch (error) {
      throw unreasoned((error as Error).message)
    }
  }

  /** A 403 that does not know a name that is still to be generated. */
  const refuse = ({ groupResource, object }: AdmissionAttributes, why: string) =>
    forbidden(groupResource, object?.metadata.name ?? '', `pod node label selector ${why}`)

  /** The merged node selector; throws when the pod's conflicts with the namespace's. */
  async function wanted(attributes: AdmissionAttributes, given: Labels): Promise<Labels> {
    const own = await ofNamespace(attributes)
    if (conflicts(own, given)) throw refuse(attributes, 'conflicts with its namespace node label selector')
    return own
  }

  function checkAllowed(attributes: AdmissionAttributes, given: Labels): void {
    const allowed = selectorFor(attributes.namespace)
    if (Object.keys(allowed).length > 0 && !isWithin(given, allowed))
      throw refuse(attributes, 'labels conflict with its namespace whitelist')
  }

  return {
    name: 'PodNodeSelector',
    operations: ['CREATE'],
    resources: [{ group: '', resource: 'pods' }],
    async mutate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const spec = specOf<{ nodeSelector?: Labels }>(attributes.object)
      const merged = { ...(await wanted(attributes, spec.nodeSelector ?? {})), ...spec.nodeSelector }
      if (Object.keys(merged).length > 0) spec.nodeSelector = merged
      checkAllowed(attributes, merged)
    },
    async validate(attributes) {
      if (!isAbout(attributes, 'pods') || attributes.object === undefined) return
      const given = specOf<{ nodeSelector?: Labels }>(attributes.object).nodeSelector ?? {}
      await wanted(attributes, given)
      checkAllowed(attributes, given)
    },
  }
}
