/** Control planes as Durable Objects under workerd, without controllers that create objects in namespaces. */
import {
  ApiServerObject,
  byHost,
  byPath,
  type DurableObjectNamespace,
  routeRequest,
  type ServerOptions,
} from '../../runtimes/edge/index.ts'
import { suiteControllers } from './suite-controllers.ts'

interface Environment {
  readonly CONTROL_PLANE: DurableObjectNamespace
  /** Options of the server as JSON. */
  readonly OPTIONS?: string
}

export class ControlPlane extends ApiServerObject<Environment> {
  override options({ OPTIONS = '{}' }: Environment): ServerOptions {
    return { controllers: suiteControllers, ...(JSON.parse(OPTIONS) as ServerOptions) }
  }
}

const first = (request: Request) => ({ name: 'first', request })

export default {
  fetch: (request: Request, { CONTROL_PLANE: namespace }: Environment): Promise<Response> =>
    routeRequest(request, {
      namespace,
      route: (given) => byPath('/clusters/')(given) ?? byHost('example.com')(given) ?? first(given),
    }),
}
