import { pluginChoices, tolerations } from '../../options/admission.ts'
import { int, string, strings } from '../flag-types.ts'
import { boundedBy, describedBy, sets } from '../option-flag.ts'

export const admissionFlags = {
  'admission-control-config-file': string({ ...sets('admission', 'admissionFile'), path: 'file' }),
  'enable-admission-plugins': strings({ ...describedBy(pluginChoices.enable), ...boundedBy(pluginChoices.enable) }),
  'disable-admission-plugins': strings({ ...describedBy(pluginChoices.disable), ...boundedBy(pluginChoices.disable) }),
  'admission-control': strings({
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
    ...boundedBy(pluginChoices.enable),
    help: 'Complete list of plugins to run. The order does not matter.',
  }),
  'default-not-ready-toleration-seconds': int(describedBy(tolerations.notReady)),
  'default-unreachable-toleration-seconds': int(describedBy(tolerations.unreachable)),
}
