"""What a docstring says of a default is true, and every public name has one."""

import importlib
import inspect
import re

import pytest

import relrbf


def public_in(module):
    classes = inspect.getmembers(module, inspect.isclass)
    own = [name for name, value in classes if value.__module__ == module.__name__]
    return getattr(module, "__all__", own)


def names():
    for module in ("relrbf", *(f"relrbf.{name}" for name in relrbf._SUBMODULES)):
        for name in public_in(importlib.import_module(module)):
            yield pytest.param(module, name, id=f"{module}.{name}")


PUBLIC = list(names())


def defaults(function):
    signature = inspect.signature(function).parameters
    return {
        name: repr(parameter.default).replace("'", '"')
        for name, parameter in signature.items()
        if parameter.default is not inspect.Parameter.empty
    }


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_documented_default_is_the_real_one(module, name):
    public = getattr(importlib.import_module(module), name)
    documented = dict(re.findall(r"^ *(\w+) : .*default=(.+)$", public.__doc__ or "", re.M))
    if not documented:
        return
    actual = defaults(public)
    assert documented == {parameter: actual.get(parameter) for parameter in documented}


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_public_function_and_class_has_a_docstring(module, name):
    public = getattr(importlib.import_module(module), name)
    if inspect.isfunction(public) or inspect.isclass(public):
        assert public.__doc__


@pytest.mark.parametrize(
    "public",
    [relrbf.RBFNetworkClassifier, relrbf.RBFNetworkRegressor, relrbf.as_relation, relrbf.relate],
)
def test_every_default_is_documented(public):
    documented = dict(re.findall(r"^ *(\w+) : .*default=(.+)$", public.__doc__, re.M))
    assert set(documented) == set(defaults(public))
