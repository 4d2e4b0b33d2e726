import { type Field, field, inline, message, string } from '../../schema/model.ts'
import { containerFields, defaultContainer } from './container.ts'
import { stopSignals } from './probe.ts'

const { ports, resources, restartPolicy, livenessProbe, readinessProbe, startupProbe, lifecycle } = containerFields
const documented = <F extends Field>(field: F, doc: string): F => ({ ...field, doc })
const refused = <F extends Field>(field: F) => documented(field, 'Not allowed for ephemeral containers.')

export const EphemeralContainerCommon = message(
  'EphemeralContainerCommon',
  'The fields that an ephemeral container shares with ordinary ones.',
  () => ({
    ...containerFields,
    ports: refused(ports),
    resources: documented(resources, 'Not allowed; spare resources of the pod are used.'),
    restartPolicy: refused(restartPolicy),
    livenessProbe: refused(livenessProbe),
    readinessProbe: refused(readinessProbe),
    startupProbe: refused(startupProbe),
    lifecycle: refused(lifecycle),
  }),
).with({ defaults: (container) => defaultContainer(container) })

export const EphemeralContainer = message(
  'EphemeralContainer',
  'A container that is added to a running pod for debugging and never restarted.',
  () => ({
    ephemeralContainerCommon: inline(1, EphemeralContainerCommon),
    targetContainerName: field(2, string, 'Container whose process namespace it joins, if the runtime can.'),
  }),
).with({ gated: [stopSignals] })
