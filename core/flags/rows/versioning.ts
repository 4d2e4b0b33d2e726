import { bool, strings } from '../flag-types.ts'
import { becomes } from '../option-flag.ts'

/** `1.35`, optionally after `component=`. */
const versionProblem = (text: string) => (/^(?:[a-z-]+=)?v?\d+\.\d+$/.test(text) ? undefined : 'must be [component=]major.minor')

export const versioningFlags = {
  'emulated-version': strings({
    label: '[component=]major.minor',
    checkItem: versionProblem,
    help: "Release to emulate: its APIs and features. Default: this server's release.",
  }),
  'emulation-forward-compatible': bool({
    ...becomes('apis', 'emulationForwardCompatible', (on: boolean | undefined) => on),
    help: "Also serve later, more stable versions of enabled APIs. Requires an emulated version lower than this server's.",
  }),
  'runtime-config-emulation-forward-compatible': bool({
    ...becomes('apis', 'runtimeConfigEmulationForwardCompatible', (on: boolean | undefined) => on),
    help: "Allow --runtime-config to enable versions introduced after the emulated release. Requires an emulated version lower than this server's.",
  }),
  'min-compatibility-version': strings({
    label: '[component=]major.minor',
    checkItem: versionProblem,
    help: 'Oldest release of other control-plane components to stay compatible with. Default: the release before the emulated one.',
  }),
}
