/** How to connect to the server of a registration. */
import { type Connect, connectTimeout } from '../outgoing/forwarding/destination.ts'
import type { Connect as ConnectService } from '../outgoing/webhook/client-config.ts'
import type { RemoteRegistration } from './registration.ts'

export type ConnectRegistration = Connect<RemoteRegistration>

/** Connects to the service of a registration, whose certificate must be valid for the service's name. */
export const connectRegistration =
  (connectService: ConnectService): ConnectRegistration =>
  async ({ spec }, context) => {
    const { options } = await connectService(spec, context)
    const { name, namespace } = spec.service
    const insecure = spec.insecureSkipTLSVerify === true
    return {
      origin: new URL(`https://${options.address}`),
      options: { ...options, connectTimeout, serverName: `${name}.${namespace}.svc`, ...(insecure && { insecure }) },
    }
  }
