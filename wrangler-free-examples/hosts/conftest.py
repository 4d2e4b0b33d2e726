"""A control plane for each test, with pytest and the package kubernetes: `apiserver hosts` runs, and HOSTS_URL is its URL.

    apiserver hosts &
    HOSTS_URL=https://127.0.0.1:6443 pytest
"""
import json
import os
import ssl
import urllib.request
import uuid

import kubernetes
import pytest

URL = os.environ.get("HOSTS_URL", "https://127.0.0.1:6443") + "/hosts/v1/servers"
FILES = os.environ.get("HOSTS_FILES", ".apiserver/hosts")


def ask(method, path="", body=None):
    """One request of the interface; returns the answer as text."""
    with open(f"{FILES}/token") as file:
        headers = {"Authorization": f"Bearer {file.read().strip()}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, context=ssl.create_default_context(cafile=f"{FILES}/ca.crt")) as response:
        return response.read().decode()


@pytest.fixture(scope="session")
def template():
    """A server that all tests fork; put your definitions into it."""
    name = f"template-{uuid.uuid4()}"
    ask("POST", body={"name": name, "ttlSeconds": 3600})
    yield name
    ask("DELETE", f"/{name}")


@pytest.fixture
def cluster(template):
    """A client of a server that the test has for itself."""
    name = f"test-{uuid.uuid4()}"
    ask("POST", f"/{template}/fork", {"name": name, "ttlSeconds": 3600})
    yield kubernetes.config.new_client_from_config_dict(json.loads(ask("GET", f"/{name}/kubeconfig")))
    ask("DELETE", f"/{name}")
