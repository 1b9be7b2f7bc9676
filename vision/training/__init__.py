"""Makes the networks of vision/models from drawn scenes and, where given, labelled photographs."""
