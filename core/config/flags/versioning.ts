import { bool, strings } from '../flag-types.ts'

/** `1.35`, optionally after `component=`. */
const versionProblem = (text: string) => (/^(?:[a-z-]+=)?v?\d+\.\d+$/.test(text) ? undefined : 'must be [component=]major.minor')

export const versioningFlags = {
  'emulated-version': strings({
    label: '[component=]major.minor',
    checkItem: versionProblem,
    built: true,
    help: 'Release whose APIs and features are offered.',
  }),
  'emulation-forward-compatible': bool({
    built: true,
    help: 'Also serve later and more stable versions of APIs that are on. Only when the emulated version is lower than the own one.',
  }),
  'runtime-config-emulation-forward-compatible': bool({
    built: true,
    help: 'Let --runtime-config turn on versions introduced after the emulated one. Only when that is lower than the own one.',
  }),
  'min-compatibility-version': strings({
    label: '[component=]major.minor',
    checkItem: versionProblem,
    built: true,
    help: 'Oldest release of other control-plane components to stay compatible with.',
  }),
}
