import { admissionPlugins, defaultAdmissionPlugins } from '../../admission/plugins/index.ts'
import { int, string, strings } from '../flag-types.ts'

const names: readonly string[] = admissionPlugins.map(({ name }) => name).sort()
const pluginProblem = (name: string) => (names.includes(name) ? undefined : 'is not an admission plugin')

export const admissionFlags = {
  'admission-control-config-file': string({ help: 'File of kind AdmissionConfiguration.' }),
  'enable-admission-plugins': strings({
    built: true,
    checkItem: pluginProblem,
    help: `Plugins to run in addition to the default ones, in any order. Default plugins: ${defaultAdmissionPlugins.join(', ')}. All plugins: ${names.join(', ')}.`,
  }),
  'disable-admission-plugins': strings({ built: true, checkItem: pluginProblem, help: 'Default plugins not to run, in any order.' }),
  'admission-control': strings({
    built: true,
    deprecated: 'use --enable-admission-plugins and --disable-admission-plugins',
    checkItem: pluginProblem,
    help: 'All plugins to run, in any order.',
  }),
  'default-not-ready-toleration-seconds': int({
    built: true,
    default: 300,
    help: 'Seconds of the notReady:NoExecute toleration that pods get when they have none.',
  }),
  'default-unreachable-toleration-seconds': int({
    built: true,
    default: 300,
    help: 'Seconds of the unreachable:NoExecute toleration that pods get when they have none.',
  }),
}
