"""Tests with the fixture of conftest.py."""
import kubernetes
import pytest

BODY = {"metadata": {"name": "one"}, "data": {"a": "b"}}


@pytest.mark.parametrize("round", range(3))
def test_each_has_a_server_of_its_own(cluster, round):
    core = kubernetes.client.CoreV1Api(cluster)
    core.create_namespaced_config_map("default", BODY)
    assert core.read_namespaced_config_map("one", "default").data == {"a": "b"}
    events = kubernetes.watch.Watch().stream(core.list_namespaced_config_map, "default", timeout_seconds=30)
    assert next(events)["object"].metadata.name in ("one", "kube-root-ca.crt")
