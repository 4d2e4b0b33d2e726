import { controllerNames } from '../../controllers/index.ts'
import { platformNames } from '../../platform.ts'
import { formats } from '../../schema/formats/formats.ts'
import { choice, string, strings } from '../flag-types.ts'
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
}
