import { admissionPlugins, defaultAdmissionPlugins } from '../../admission/plugins/index.ts'
import { int, string, strings } from '../flag-types.ts'

const names: readonly string[] = admissionPlugins.map(({ name }) => name).sort()
const pluginProblem = (name: string) => (names.includes(name) ? undefined : 'is not an admission plugin')

export const admissionFlags = {
  'admission-control-config-file': string({ path: 'file', implemented: true, help: 'Path of the AdmissionConfiguration file.' }),
  'enable-admission-plugins': strings({
    implemented: true,
    checkItem: pluginProblem,
    help: `Plugins to enable in addition to the default ones. The order does not matter. Default plugins: ${defaultAdmissionPlugins.join(', ')}. All plugins: ${names.join(', ')}.`,
  }),
  'disable-admission-plugins': strings({
    implemented: true,
    checkItem: pluginProblem,
    help: 'Default plugins to disable. The order does not matter.',
  }),
  'admission-control': strings({
    implemented: true,
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
    checkItem: pluginProblem,
    help: 'Complete list of plugins to run. The order does not matter.',
  }),
  'default-not-ready-toleration-seconds': int({
    implemented: true,
    default: 300,
    help: 'tolerationSeconds of the notReady:NoExecute toleration that pods get by default.',
  }),
  'default-unreachable-toleration-seconds': int({
    implemented: true,
    default: 300,
    help: 'tolerationSeconds of the unreachable:NoExecute toleration that pods get by default.',
  }),
}
