/** Built-in reservations, by the name in definitions. */
import type { ReservationName } from '../../resources/definition.ts'
import { createServiceAddresses, type ServiceAddressesOptions } from './allocators/service-addresses.ts'
import type { Reservations } from './reservations.ts'
import type { ServedResource } from './served.ts'

/** Dependencies of reservations; `resource` finds a resource even if it is not served. */
export interface ReservationOptions extends Omit<ServiceAddressesOptions, 'services' | 'endpoints' | 'ipAddresses' | 'serviceCidrs'> {
  resource(group: string, plural: string): ServedResource
}

const makers: { readonly [name in ReservationName]: (options: ReservationOptions) => Reservations } = {
  serviceAddresses: ({ resource, ...options }) =>
    createServiceAddresses({
      ...options,
      services: resource('', 'services'),
      endpoints: resource('', 'endpoints'),
      ipAddresses: resource(options.platform.name('networking.<domain>'), 'ipaddresses'),
      serviceCidrs: resource(options.platform.name('networking.<domain>'), 'servicecidrs'),
    }),
}

/** Created on first use. */
export function builtInReservations(options: ReservationOptions): (name: ReservationName) => Reservations {
  const made = new Map<ReservationName, Reservations>()
  return (name) => {
    let reservations = made.get(name)
    if (reservations === undefined) {
      reservations = makers[name](options)
      made.set(name, reservations)
    }
    return reservations
  }
}
