/** Merges the namespace's node selector into pods, within the allowed labels (plugin/pkg/admission/podnodeselector). */
import { notFound } from '../../answers/status.ts'
import { formats } from '../../schema/formats/formats.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../attributes.ts'
import type { PluginContext } from '../context.ts'
import { isAbout, refusal, specOf } from './about.ts'

type Labels = { readonly [key: string]: string }

/** Parses `a=b,c=d`. @throws Error with the reason. */
export function parseNodeSelector(text: string): Labels {
  if (text === '') return {}
  const pairs = text.split(',').map((pair) => {
    const [key = '', value, ...rest] = pair.split('=')
    if (value === undefined || rest.length > 0) throw new Error(`invalid selector: [${pair.split('=').join(' ')}]`)
    const problems = [...formats.labelKey(key.trim()), ...formats.labelValue(value.trim())]
    if (problems.length > 0) throw new Error(`invalid selector: ${pair}: ${problems.join(', ')}`)
    return [key.trim(), value.trim()] as const
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
      throw refusal(attributes, (error as Error).message)
    }
  }

  /** The merged node selector; throws when the pod's conflicts with the namespace's. */
  async function wanted(attributes: AdmissionAttributes, given: Labels): Promise<Labels> {
    const own = await ofNamespace(attributes)
    if (conflicts(own, given)) throw refusal(attributes, 'pod node label selector conflicts with its namespace node label selector')
    return own
  }

  function checkAllowed(attributes: AdmissionAttributes, given: Labels): void {
    const allowed = selectorFor(attributes.namespace)
    if (Object.keys(allowed).length > 0 && !isWithin(given, allowed))
      throw refusal(attributes, 'pod node label selector labels conflict with its namespace whitelist')
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
