import { bool, strings } from '../flag-types.ts'

/** `1.35`, optionally after `component=`. */
const versionProblem = (text: string) => (/^(?:[a-z-]+=)?v?\d+\.\d+$/.test(text) ? undefined : 'must be [component=]major.minor')

export const versioningFlags = {
  'emulated-version': strings({
    label: '[component=]major.minor',
    checkItem: versionProblem,
    help: "Release to emulate: its APIs and features. Default: this server's release.",
  }),
  'emulation-forward-compatible': bool({
    help: "Also serve later, more stable versions of enabled APIs. Requires an emulated version lower than this server's.",
  }),
  'runtime-config-emulation-forward-compatible': bool({
    help: "Allow --runtime-config to enable versions introduced after the emulated release. Requires an emulated version lower than this server's.",
  }),
  'min-compatibility-version': strings({
    label: '[component=]major.minor',
    checkItem: versionProblem,
    help: 'Oldest release of other control-plane components to stay compatible with. Default: the release before the emulated one.',
  }),
}
