import { controllerNames } from '../../controllers/index.ts'
import { platformNames } from '../../platform.ts'
import { formats } from '../../schema/formats/formats.ts'
import { bool, choice, duration, int, quantity, string, strings } from '../flag-types.ts'
import { becomes } from '../option-flag.ts'
import { selectNames } from '../selection.ts'

const domainProblem = (text: string) => (formats.dns1123Subdomain(text).length === 0 ? undefined : 'must be a DNS domain')

/** Flags that only this server has. */
export const programFlags = {
  platform: choice({
    oneOf: platformNames,
    default: ({ platformName }) => platformName,
    help: `Product name in namespaces, media types and flags: ${platformNames.join(' or ')}.`,
  }),
  'platform-domain': string({
    default: ({ platform }) => platform.domain,
    check: domainProblem,
    help: 'Domain of API groups.',
  }),
  'write-kubeconfig': string({
    help: 'Path of a kubeconfig to write for an administrator, with address, CA and credentials.',
  }),
  controllers: strings({
    ...becomes('controllers', 'controllers', (given: readonly string[]) => selectNames('controllers', given, controllerNames)),
    default: ({ given }) => (given('kvstore-servers').length > 0 ? [] : ['*']),
    help: 'Built-in controllers to run: * for all, -name to exclude one. Default with --kvstore-servers: none.',
  }),
  'enable-branches': bool({
    help: 'Let users who may create /branches/NAME make copies of the server in memory, at that path (apiserver branch). Needs --workers=1.',
  }),
  'max-branches': int({ default: 16, min: 1, help: 'Maximum number of branches.' }),
  'max-branch-ttl': duration({ default: 3_600_000, min: 1_000, help: 'Time to live of a branch. Users may choose less.' }),
  'max-branch-bytes': quantity({
    default: 256 * 1024 * 1024,
    min: 1024 * 1024,
    help: 'Maximum bytes of memory for what a branch has stored, and for what it has read of a store that is not in memory. Each object counts as 1 KiB besides.',
  }),
}
