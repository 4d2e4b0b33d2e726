/** Maintenance.HashKV of a server of etcd's API: etcd3's method for it calls one that does not exist. */
import { decode, int, request } from '../../runtimes/etcd-server/decoding.ts'
import { nodeClock } from '../../runtimes/node/clock.ts'
import { createChannel } from '../../runtimes/wire/client/channel.ts'

const response = request({ hash: int(2), compactRevision: int(3) })

export async function hashOf(url: string) {
  const channel = createChannel(url, {}, nodeClock)
  try {
    return decode(response, await channel.call('/etcdserverpb.Maintenance/HashKV', new Uint8Array(0), nodeClock.monotonic() + 20_000))
  } finally {
    channel.close()
  }
}
